#include "etude/ops/detail/elementwise.h"

#include <algorithm>

namespace etude {
namespace detail {
namespace {

int category(ScalarType t) { return t == kBool ? 0 : isIntegralType(t, false) ? 1 : 2; }

// Strides without gaps for `sizes`, in the memory order of the inputs: a transposed input gives a transposed
// output, and both are walked in memory order. Dims are sorted from the innermost on; where no input decides
// between two, they keep their order.
Shape dense_strides(const Shape& sizes, std::initializer_list<const TensorImpl*> inputs) {
  const int64_t dims = sizes.size();
  auto stride = [&](const TensorImpl& t, int64_t d) {
    const int64_t own = d - (dims - t.sizes.size());
    return own < 0 || (t.sizes[own] == 1 && sizes[d] != 1) ? 0 : t.strides[own];
  };
  auto inner_first = [&](int64_t a, int64_t b) {  // -1: a inside b, 1: the other way round, 0: undecided
    for (const TensorImpl* t : inputs) {
      const int64_t sa = stride(*t, a), sb = stride(*t, b);
      if (sa == 0 || sb == 0) continue;
      if (sa != sb) return sa < sb ? -1 : 1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  Shape order = Shape::filled(dims, 0);
  for (int64_t i = 0; i < dims; ++i) order[i] = dims - 1 - i;
  for (int64_t i = 1; i < dims; ++i) {
    int64_t at = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int decided = inner_first(order[j], order[at]);
      if (decided < 0) break;
      if (decided == 0) continue;
      std::swap(order[j], order[at]);
      at = j;
    }
  }
  Shape strides = sizes;
  int64_t next = 1;
  for (const int64_t d : order) {
    strides[d] = next;
    next *= std::max<int64_t>(sizes[d], 1);
  }
  return strides;
}

}  // namespace

Shape broadcast_strides(const TensorImpl& t, const Shape& sizes) {
  if (t.sizes == sizes) return t.strides;
  Shape strides = Shape::filled(sizes.size(), 0);
  const int64_t extra = sizes.size() - t.sizes.size();
  for (int64_t d = 0; d < t.sizes.size(); ++d)
    strides[d + extra] = t.sizes[d] == 1 && sizes[d + extra] != 1 ? 0 : t.strides[d];
  return strides;
}

Tensor output_for(const Tensor& out, const Shape& sizes, ScalarType dtype,
                  std::initializer_list<const TensorImpl*> inputs) {
  if (out.defined()) {
    check_takes(out, sizes, dtype);
    return out;
  }
  Tensor y = make_tensor(sizes, dtype);
  if (std::all_of(inputs.begin(), inputs.end(), [](const TensorImpl* t) { return t->contiguous; })) return y;
  impl(y).strides = dense_strides(sizes, inputs);
  impl(y).refresh();
  return y;
}

Tensor copied_to(const Tensor& out, const Tensor& y) {
  if (!out.defined()) return y;
  return output_for(out, impl(y).sizes, impl(y).dtype, {}).copy_(y);
}

Shape without(Shape shape, int64_t d) {
  shape.erase(d);
  return shape;
}

Tensor seen_along(const Tensor& vector, int64_t dims, int64_t d) {
  Shape sizes = Shape::filled(dims, 1);
  if (vector.numel() != 1) sizes[d] = vector.numel();
  return vector.view(sizes);
}

Tensor wrapped(const Scalar& value) {
  const ScalarType dtype = value.isFloatingPoint() ? kDouble : value.type();
  Tensor t = make_tensor({}, dtype);
  TensorImpl& i = impl(t);
  i.wrapped_number = true;
  if (dtype == kDouble) *i.data<double>() = value.toDouble();
  else if (dtype == kBool) *i.data<bool>() = value.toBool();
  else *i.data<int64_t>() = value.toLong();
  return t;
}

Tensor as_type(const Tensor& t, ScalarType dtype) {
  const TensorImpl& from = impl(t);
  if (from.dtype == dtype) return t;
  Tensor result = output_for({}, from.sizes, dtype, {&from});
  if (from.wrapped_number && from.dtype == kDouble && dtype == kFloat)  // nearly every number
    *impl(result).data<float>() = static_cast<float>(*from.data<double>());
  else convert(result, t);
  return result;
}

Tensor widened(const Tensor& t) {
  return t.defined() && isReducedFloatingType(impl(t).dtype) ? as_type(t, kFloat) : t;
}

Tensor with_sizes(const Tensor& t, const Shape& sizes) {
  const TensorImpl& x = impl(t);
  return make_view(x.storage, sizes, contiguous_strides(sizes), x.offset, x.dtype);
}

// Numbers give way to 0-dim tensors, those to tensors with dims, unless of a higher category (bool < integer < floating).
ScalarType common_type(std::initializer_list<const TensorImpl*> operands) {
  optional<ScalarType> ranks[3];  // of numbers, 0-dim tensors and tensors with dims
  for (const TensorImpl* t : operands) {
    const ScalarType dtype = t->wrapped_number && t->dtype == kDouble ? get_default_dtype() : t->dtype;
    optional<ScalarType>& of_rank = ranks[t->wrapped_number ? 0 : t->sizes.empty() ? 1 : 2];
    of_rank = of_rank ? promote_types(*of_rank, dtype) : dtype;
  }
  optional<ScalarType> result;
  for (const optional<ScalarType>& higher : ranks) {
    if (!higher) continue;
    result = !result || category(*higher) >= category(*result) ? *higher : promote_types(*higher, *result);
  }
  return *result;
}

void check_fits(const Scalar& value, ScalarType dtype) {
  dispatch(dtype, [&](auto zero) { static_cast<void>(value.to<decltype(zero)>()); });
}

ScalarType floating_of(ScalarType t) { return isFloatingType(t) ? t : get_default_dtype(); }

bool overlaps(const Tensor& out, const Tensor& x) {
  const TensorImpl &o = impl(out), &i = impl(x);
  return o.storage == i.storage && !(o.offset == i.offset && o.sizes == i.sizes && o.strides == i.strides);
}

Tensor without_gradient(const char* op, Inputs inputs, const Tensor& y) {
  constexpr const char* name = "NotImplemented";
  return recorded(name, inputs, y, [op](const Tensor&) -> Gradients {
    throw NotImplementedError(str("derivative for aten::", op, " is not implemented",
                                  "\nhint: PyTorch has none either; detach() the input if none is wanted"));
  });
}

void check_no_gradient(const char* function, const Tensor& t, const char* name) {
  ETUDE_CHECK(!recording({t}), "The function '", function,
              "' is not differentiable with respect to argument '", name,
              "'. This input cannot have requires_grad True.");
}

}  // namespace detail

using namespace detail;

ScalarType result_type(const Tensor& a, const Tensor& b) {
  const TensorImpl &x = impl(a), &y = impl(b);
  if (x.dtype == y.dtype && !x.wrapped_number && !y.wrapped_number) return x.dtype;
  return common_type({&x, &y});
}

ScalarType result_type(const Tensor& a, const Scalar& b) { return result_type(a, wrapped(b)); }

}  // namespace etude
