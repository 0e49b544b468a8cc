#include "etude/ops/detail/reduction.h"

#include <algorithm>
#include <limits>

#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude::detail {
Shape ReducedDims::list() const {
  Shape dims;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (taken[static_cast<size_t>(d)]) dims.push_back(d);
  return dims;
}

Shape ReducedDims::result_sizes(bool keepdim) const {
  Shape result;
  for (int64_t d = 0; d < sizes.size(); ++d) {
    if (!taken[static_cast<size_t>(d)]) result.push_back(sizes[d]);
    else if (keepdim) result.push_back(1);
  }
  return result;
}

Tensor ReducedDims::restored(const Tensor& result, bool keepdim) const {
  Tensor y = result;
  if (keepdim) return y;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (taken[static_cast<size_t>(d)]) y = y.unsqueeze(d);
  return y;
}

// A tensor without dims expands to any sizes.
Tensor ReducedDims::spread(const Tensor& dy, bool keepdim) const {
  return (dy.dim() == 0 ? dy : restored(dy, keepdim)).expand(sizes);
}

ReducedDims all_dims(const Tensor& x) {
  ReducedDims result;
  result.sizes = impl(x).sizes;
  result.taken.fill(true);
  result.count = impl(x).numel;
  return result;
}

ReducedDims reduced_dims(const Tensor& x, const DimList& dims) {
  if (!dims.has_value() || dims.value().empty()) return all_dims(x);
  const TensorImpl& t = impl(x);
  ReducedDims result;
  result.sizes = t.sizes;
  for (int64_t dim : dims.value()) {
    const auto d = static_cast<size_t>(wrap_dim(dim, t.sizes.size()));
    ETUDE_CHECK(!result.taken[d], "dim ", d, " appears multiple times in the list of dims\nreceived dims ",
                dims.value());
    result.taken[d] = true;
  }
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    if (result.taken[static_cast<size_t>(d)]) result.count *= t.sizes[d];
  return result;
}

static ReductionWalk walk_in_memory_order(const TensorImpl& x, const ReducedDims& dims) {
  const Shape result_strides = contiguous_strides(dims.result_sizes(false));
  Shape kept, kept_in, kept_out, reduced, reduced_in;
  for (int64_t d = 0; d < x.sizes.size(); ++d) {
    if (dims.taken[static_cast<size_t>(d)]) {
      reduced.push_back(x.sizes[d]);
      reduced_in.push_back(x.strides[d]);
    } else {
      kept_out.push_back(result_strides[kept.size()]);
      kept.push_back(x.sizes[d]);
      kept_in.push_back(x.strides[d]);
    }
  }
  ReductionWalk w{memory_walk<2>(kept, {kept_in, kept_out}), memory_walk<1>(reduced, {reduced_in}), false};
  w.by_columns = w.kept.inner() > 1 &&
                 (w.reduced.count <= kLanes || reach(w.kept.stride(0)) < reach(w.reduced.stride(0)));
  return w;
}

ReductionWalk make_reduction_walk(const TensorImpl& x, const ReducedDims& dims) {
  const bool is_one_row = x.contiguous && x.numel > 1 && dims.count == x.numel;
  if (!is_one_row) return walk_in_memory_order(x, dims);
  return {Walk<2>{1, 1, {1}, {}}, Walk<1>{1, x.numel, {x.numel}, {{{1}}}}, false};
}

}  // namespace etude::detail
