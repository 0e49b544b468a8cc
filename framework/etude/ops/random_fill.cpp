#include "etude/ops/detail/random_fill.h"

#include <algorithm>
#include <numeric>

#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/loops.h"

namespace etude::detail {

Shape order_in_memory(const Tensor& t) {
  const Shape &sizes = impl(t).sizes, &strides = impl(t).strides;
  Shape order = Shape::filled(sizes.size(), 0);
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[a] != strides[b] ? strides[a] > strides[b] : sizes[a] < sizes[b];
  });
  return order;
}

Tensor in_order(const Tensor& t, const Shape& order) {
  const TensorImpl& from = impl(t);
  Shape sizes = from.sizes, strides = from.strides;
  for (int64_t d = 0; d < order.size(); ++d) {
    sizes[d] = from.sizes[order[d]];
    strides[d] = from.strides[order[d]];
  }
  return make_view(from.storage, sizes, strides, from.offset, from.dtype);
}

void copy_elements(const Tensor& to, const Tensor& from) {
  const auto walk = make_walk<2>(impl(to).sizes, {impl(to).strides, impl(from).strides});
  dispatch(impl(to).dtype, [&](auto zero) {
    using T = decltype(zero);
    for_each_row<2>(walk, kGrain, [&](const auto& at, int64_t n) {
      map_row(impl(to).data<T>() + at[0], walk.stride(0), impl(from).data<T>() + at[1], walk.stride(1), n,
              [](T v) { return v; });
    });
  });
}

}  // namespace etude::detail
