// Sums, means and products, and what all reductions share.
//
//   sum: y = sum x[i],  dx[i] = dy                 mean: y = sum x[i] / n,  dx[i] = dy / n
//   prod: y = prod x[i],  dx[i] = dy prod over j != i of x[j]

#include "etude/ops/detail/autocast.h"
#include "etude/ops/detail/function.h"
#include "etude/ops/detail/reduction.h"

namespace etude::detail {

Shape ReducedDims::list() const {
  Shape dims;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (taken[d]) dims.push_back(d);
  return dims;
}

Shape ReducedDims::result_sizes(bool keepdim) const {
  Shape result;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (keepdim || !taken[d]) result.push_back(taken[d] ? 1 : sizes[d]);
  return result;
}

Tensor ReducedDims::restored(const Tensor& result, bool keepdim) const {
  Tensor y = result;
  if (keepdim) return y;
  for (int64_t d = 0; d < sizes.size(); ++d)
    if (taken[d]) y = y.unsqueeze(d);
  return y;
}

// A tensor without dims expands to any sizes.
Tensor ReducedDims::spread(const Tensor& dy, bool keepdim) const {
  return (dy.dim() == 0 ? dy : restored(dy, keepdim)).expand(sizes);
}

ReducedDims all_dims(const Tensor& x) {
  ReducedDims result{impl(x).sizes, {}, impl(x).numel};
  std::fill_n(result.taken, kMaxDims, true);
  return result;
}

ReducedDims reduced_dims(const Tensor& x, const DimList& dims) {
  if (!dims.has_value() || dims.value().empty()) return all_dims(x);
  ReducedDims result{impl(x).sizes, {}, 1};
  for (const int64_t dim : dims.value()) {
    const int64_t d = wrap_dim(dim, x.dim());
    ETUDE_CHECK(!result.taken[d], "dim ", d, " appears multiple times in the list of dims\nreceived dims ",
                dims.value());
    result.taken[d] = true;
    if (x.dim() > 0) result.count *= x.size(d);
  }
  return result;
}

static ReductionWalk walk_in_memory_order(const TensorImpl& x, const ReducedDims& dims) {
  const Shape result_strides = contiguous_strides(dims.result_sizes(false));
  Shape kept, kept_in, kept_out, reduced, reduced_in;
  for (int64_t d = 0; d < x.sizes.size(); ++d) {
    if (dims.taken[d]) {
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

namespace etude {
namespace {

using namespace detail;

template <typename T>
struct Product : Sum<T> {
  using Acc = typename Sum<T>::Acc;
  Acc start() const { return 1; }
  Acc join(Acc a, Acc b) const { return a * b; }
};

// Integers and bools give int64. If `dtype` is given, any input is converted to it first.
template <template <typename> class Fold>
Tensor fold_forward(const Tensor& self, const ReducedDims& dims, bool keepdim, optional<ScalarType> dtype) {
  const ScalarType result = dtype.value_or(self.is_floating_point() ? self.scalar_type() : kLong);
  const ScalarType computed = isFloatingType(result) ? product_type(result) : kLong;
  const Tensor x = as_type(as_type(self, result), computed);
  const Tensor y = make_tensor(dims.result_sizes(keepdim), computed);
  const auto fold = [&](auto zero) {
    using T = decltype(zero);
    reduce<T>(impl(y).data<T>(), x, dims, Fold<T>{}, [](auto acc, int64_t) { return static_cast<T>(acc); });
  };
  if (computed == kLong) fold(int64_t{0});
  else dispatch_floating("sum", computed, fold);
  return as_type(y, result);
}

Tensor sum_named(const char* name, const Tensor& self, const ReducedDims& dims, bool keepdim,
                 optional<ScalarType> dtype) {
  return recorded(name, {self}, fold_forward<Sum>(self, dims, keepdim, dtype),
                  [dims, keepdim](const Tensor& dy) { return dims.spread(dy, keepdim); });
}

void check_mean(const Tensor& self, optional<ScalarType> dtype) {
  ETUDE_CHECK(isFloatingType(dtype.value_or(self.scalar_type())), "mean(): could not infer output dtype. ",
              dtype ? "Optional" : "Input", " dtype must be either a floating point or complex dtype. Got: ",
              toString(dtype.value_or(self.scalar_type())),
              "\nhint: convert first, x.to(kFloat).mean(), or name the dtype, x.mean(kFloat)");
}

Tensor mean_named(const char* name, const Tensor& self, const ReducedDims& dims, bool keepdim,
                  optional<ScalarType> dtype) {
  check_mean(self, dtype);
  const Tensor given = dtype ? as_type(self, *dtype) : self, x = widened(given);
  Tensor y = make_tensor(dims.result_sizes(keepdim), x.scalar_type());
  dispatch_floating("mean", x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    reduce<T>(y.data_ptr<T>(), x, dims, Sum<T>{},
              [n = static_cast<double>(dims.count)](double sum, int64_t) { return static_cast<T>(sum / n); });
  });
  return recorded(name, {self}, as_type(y, given.scalar_type()), [dims, keepdim](const Tensor& dy) {
    // The count may be infinite in float16.
    const Tensor dx = dy.to(product_type(dy.scalar_type())) / dims.count;
    return dims.spread(dx.to(dy.scalar_type()), keepdim);
  });
}

// For each element, the product of all others along a dim. It does not divide, so that zeros are right in every
// derivative: if elements are multiplied in pairs (a, b), the others of a are b and all other pairs.
Tensor product_of_others(const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim), half = n / 2;
  if (n <= 1) return constant_in(x, ones_like(x));
  const Tensor a = x.narrow(dim, 0, half), b = x.narrow(dim, half, half),
               last = x.narrow(dim, 2 * half, n % 2);
  const Tensor pairs = product_of_others(cat({a * b, last}, dim), dim), others = pairs.narrow(dim, 0, half);
  return cat({b * others, a * others, pairs.narrow(dim, half, n % 2)}, dim);
}

}  // namespace

Tensor sum(const Tensor& self, optional<ScalarType> dtype) {
  ETUDE_OP(sum, self, dtype);
  return sum_named("SumBackward0", self, all_dims(self), false, dtype);
}

Tensor sum(const Tensor& self, DimList dim, bool keepdim, optional<ScalarType> dtype) {
  ETUDE_OP(sum, self, dim, keepdim, dtype);
  return sum_named("SumBackward1", self, reduced_dims(self, dim), keepdim, dtype);
}

Tensor mean(const Tensor& self, optional<ScalarType> dtype) {
  ETUDE_OP(mean, self, dtype);
  return mean_named("MeanBackward0", self, all_dims(self), false, dtype);
}

Tensor mean(const Tensor& self, DimList dim, bool keepdim, optional<ScalarType> dtype) {
  ETUDE_OP(mean, self, dim, keepdim, dtype);
  return mean_named("MeanBackward1", self, reduced_dims(self, dim), keepdim, dtype);
}

Tensor prod(const Tensor& self, optional<ScalarType> dtype) {
  ETUDE_OP(prod, self, dtype);
  ETUDE_AUTOCAST(kFloat, prod, self, dtype);
  const ReducedDims dims = all_dims(self);
  return recorded("ProdBackward0", {self}, fold_forward<Product>(self, dims, false, dtype), {self},
                  [dtype](const Tensor& dy, const Tensor& x) {
                    const Tensor elements = dtype ? x.to(*dtype) : x;
                    return dy * product_of_others(elements.reshape({-1}), 0).reshape(elements.sizes());
                  });
}

Tensor prod(const Tensor& self, int64_t dim, bool keepdim, optional<ScalarType> dtype) {
  ETUDE_OP(prod, self, dim, keepdim, dtype);
  ETUDE_AUTOCAST(kFloat, prod, self, dim, keepdim, dtype);
  const ReducedDims dims = reduced_dims(self, dim);
  return recorded("ProdBackward1", {self}, fold_forward<Product>(self, dims, keepdim, dtype), {self},
                  [dims, dim, keepdim, dtype](const Tensor& dy, const Tensor& x) {
                    const Tensor elements = dtype ? x.to(*dtype) : x;
                    if (elements.dim() == 0) return dy;
                    return dims.restored(dy, keepdim) * product_of_others(elements, dim);
                  });
}

ETUDE_METHOD(sum, (optional<ScalarType> dtype), dtype)
ETUDE_METHOD(sum, (DimList dim, bool keepdim, optional<ScalarType> dtype), dim, keepdim, dtype)
ETUDE_METHOD(mean, (optional<ScalarType> dtype), dtype)
ETUDE_METHOD(mean, (DimList dim, bool keepdim, optional<ScalarType> dtype), dim, keepdim, dtype)
ETUDE_METHOD(prod, (optional<ScalarType> dtype), dtype)
ETUDE_METHOD(prod, (int64_t dim, bool keepdim, optional<ScalarType> dtype), dim, keepdim, dtype)

}  // namespace etude
