#include "etude/core/detail/loops.h"

#include <algorithm>

namespace etude::detail {

template <int N>
void for_each_row(const Walk<N>& w, int64_t grain, Row<N> row) {
  parallel_for(0, w.count, grain, [&](int64_t begin, int64_t end) {
    std::array<int64_t, kMaxDims> at{};
    std::array<int64_t, N> offsets{};
    int64_t rest = begin;
    for (auto d = static_cast<size_t>(w.dims); d-- > 0;) {
      at[d] = rest % w.sizes[d];
      rest /= w.sizes[d];
      for (size_t o = 0; o < N; ++o) offsets[o] += at[d] * w.strides[o][d];
    }
    const auto inner = static_cast<size_t>(w.dims - 1);
    while (begin < end) {
      const int64_t n = std::min(w.sizes[inner] - at[inner], end - begin);
      row(offsets, n);
      begin += n;
      if (begin >= end) return;
      if (at[inner] != 0) {  // only the first row may begin inside of one
        for (size_t o = 0; o < N; ++o) offsets[o] -= at[inner] * w.strides[o][inner];
        at[inner] = 0;
      }
      for (size_t d = inner; d-- > 0;) {
        for (size_t o = 0; o < N; ++o) offsets[o] += w.strides[o][d];
        if (++at[d] < w.sizes[d]) break;
        at[d] = 0;
        for (size_t o = 0; o < N; ++o) offsets[o] -= w.sizes[d] * w.strides[o][d];
      }
    }
  });
}

template void for_each_row<1>(const Walk<1>&, int64_t, Row<1>);
template void for_each_row<2>(const Walk<2>&, int64_t, Row<2>);
template void for_each_row<3>(const Walk<3>&, int64_t, Row<3>);
template void for_each_row<4>(const Walk<4>&, int64_t, Row<4>);

}  // namespace etude::detail
