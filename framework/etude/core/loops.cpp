#include "etude/core/detail/loops.h"

#include <algorithm>
#include <cstring>

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
      if (at[inner] != 0) {  // only the first row may start in the middle
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

template <typename Bits>
static void move_bits(std::byte* to, int64_t to_step, const std::byte* from, int64_t from_step, int64_t n) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(Bits));
  if (from_step == 0 && to_step == kBytes) {
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    return vectorised([=, row = reinterpret_cast<Bits*>(to)] { std::fill_n(row, n, bits); });
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, sizeof(Bits));
}

void move_row(std::byte* to, int64_t to_stride, const std::byte* from, int64_t from_stride, int64_t n,
              int64_t bytes) {
  const int64_t to_step = to_stride * bytes, from_step = from_stride * bytes;
  if (to_stride == 1 && from_stride == 1) std::memmove(to, from, static_cast<size_t>(n * bytes));
  else if (bytes == 1) move_bits<uint8_t>(to, to_step, from, from_step, n);
  else if (bytes == 2) move_bits<uint16_t>(to, to_step, from, from_step, n);
  else if (bytes == 4) move_bits<uint32_t>(to, to_step, from, from_step, n);
  else move_bits<uint64_t>(to, to_step, from, from_step, n);
}

void move_rows(const Shape& sizes, std::byte* to, const Shape& to_strides, const std::byte* from,
               const Shape& from_strides, int64_t bytes) {
  const auto w = memory_walk<2>(sizes, {to_strides, from_strides});
  for_each_row<2>(w, kGrain, [&](const auto& at, int64_t n) {
    move_row(to + at[0] * bytes, w.stride(0), from + at[1] * bytes, w.stride(1), n, bytes);
  });
}

}  // namespace etude::detail
