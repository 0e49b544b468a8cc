// Choosing between numbers, and the products of three that optimizers use, element by element:
//
//   maximum, minimum  dy goes to the chosen one, half to each where both are equal
//   clamp             dx = dy where min <= x <= max
//   addcmul           y = x + v a b,      dx = dy,  da = dy v b,  db = dy v a
//   addcdiv           y = x + v a / b,    dx = dy,  da = dy v / b,  db = -dy v a / b^2

#include <functional>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// The one that comes first by `Before`; nan wins over every number.
template <typename Before>
struct Chosen {
  template <typename T>
  T operator()(T a, T b) const {
    if constexpr (is_floating<T>) return a != a ? a : b != b ? b : Before()(a, b) ? a : b;
    else return Before()(a, b) ? a : b;
  }
};

template <typename Choose, typename Compare>
Tensor chosen(const char* name, const Tensor& self, const Tensor& other, Choose choose, Compare lost) {
  return recorded(name, {self, other},
                  zip_with(every_type, result_type(self, other), self, other, {}, choose), {self, other},
                  [on_a = needs_grad(self), on_b = needs_grad(other), lost](const Tensor& dy, const Tensor& u,
                                                                            const Tensor& v) {
                    const Tensor halved = where(u.eq(v), dy * 0.5, dy);
                    return Gradients{on_a ? halved.masked_fill(lost(u, v), 0) : Tensor(),
                                     on_b ? halved.masked_fill(lost(v, u), 0) : Tensor()};
                  });
}

Tensor clamp_forward(const Tensor& x, const optional<Scalar>& min, const optional<Scalar>& max,
                     const Tensor& out = {}) {
  ETUDE_CHECK(min || max, "torch.clamp: At least one of 'min' or 'max' must not be None");
  ScalarType dtype = x.scalar_type();
  for (const optional<Scalar>& bound : {min, max})
    if (bound) dtype = promote_types(dtype, result_type(x, *bound));
  ETUDE_CHECK(!out.defined() || can_cast(dtype, out.scalar_type()), "result type ", toString(dtype),
              " can't be cast to the desired output type ", row_of(x.scalar_type()).cpp_name);
  ETUDE_CHECK(dtype != kBool, "\"",
              !max   ? "clamp_min_cpu"
              : !min ? "clamp_max_scalar_cpu"
                     : "clamp_scalar_cpu",
              "\" not implemented for 'Bool'");
  for (const optional<Scalar>& bound : {min, max})
    if (bound) check_fits(*bound, dtype);
  Tensor y = as_type(x, dtype);
  Tensor to = out;
  if (min)
    y = to = zip_with(every_type, dtype, y, wrapped(*min), to,
                      [](auto v, auto m) { return v != v || v > m ? v : m; });
  if (max)
    y = zip_with(every_type, dtype, y, wrapped(*max), to,
                 [](auto v, auto m) { return v != v || v < m ? v : m; });
  return y;
}

Tensor addcmul_forward(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                       const Tensor& out = {}) {
  const ScalarType dtype = common_type({&impl(self), &impl(a), &impl(b)});
  const Numbers numbers{"addcmul_cpu_out"};
  return zip_three(numbers, dtype, self, a, b, value, out, [](auto x, auto u, auto v, auto factor) {
    return Plus()(x, Times()(Times()(factor, u), v));
  });
}

Tensor addcdiv_forward(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                       const Tensor& out = {}) {
  ETUDE_CHECK(
      isFloatingType(result_type(a, b)),
      "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
      "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
      "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
      "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
      "(input + value * tensor1 / tensor2), for all dtypes.");
  const ScalarType dtype = common_type({&impl(self), &impl(a), &impl(b)});
  const Floating floating{"addcdiv_cpu_out"};
  return zip_three(floating, dtype, self, a, b, value, out,
                   [](auto x, auto u, auto v, auto factor) { return x + factor * u / v; });
}

Tensor clamped(const char* name, const Tensor& self, const optional<Scalar>& min,
               const optional<Scalar>& max) {
  return recorded(name, {self}, clamp_forward(self, min, max), {self},
                  [min, max](const Tensor& dy, const Tensor& v) {
                    Tensor dx = dy;
                    if (min) dx = where(v.ge(*min), dx, 0.0);
                    if (max) dx = where(v.le(*max), dx, 0.0);
                    return dx;
                  });
}

}  // namespace

Tensor maximum(const Tensor& self, const Tensor& other) {
  return chosen("MaximumBackward0", self, other, Chosen<std::greater<>>{},
                [](const Tensor& a, const Tensor& b) { return a.lt(b); });
}

Tensor minimum(const Tensor& self, const Tensor& other) {
  return chosen("MinimumBackward0", self, other, Chosen<std::less<>>{},
                [](const Tensor& a, const Tensor& b) { return a.gt(b); });
}

Tensor clamp(const Tensor& self, const optional<Scalar>& min, const optional<Scalar>& max) {
  return clamped("ClampBackward1", self, min, max);
}
Tensor clamp_min(const Tensor& self, const Scalar& min) {
  return clamped("ClampMinBackward0", self, min, nullopt);
}
Tensor clamp_max(const Tensor& self, const Scalar& max) {
  return clamped("ClampMaxBackward0", self, nullopt, max);
}

Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  return recorded("AddcmulBackward0", {self, a, b}, addcmul_forward(self, a, b, value),
                  {{a, needs_grad(b)}, {b, needs_grad(a)}},
                  [value](const Tensor& dy, const Tensor& u, const Tensor& v) {
                    return Gradients{dy, v.defined() ? dy * (v * value) : Tensor(),
                                     u.defined() ? dy * (u * value) : Tensor()};
                  });
}

Tensor addcdiv(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  return recorded("AddcdivBackward0", {self, a, b}, addcdiv_forward(self, a, b, value),
                  {{a, needs_grad(b)}, b},
                  [on_a = needs_grad(a), value](const Tensor& dy, const Tensor& u, const Tensor& v) {
                    return Gradients{dy, on_a ? dy * (value / v) : Tensor(),
                                     u.defined() ? -dy * ((u * value) / (v * v)) : Tensor()};
                  });
}

Tensor Tensor::maximum(const Tensor& other) const { return etude::maximum(*this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return etude::minimum(*this, other); }
Tensor Tensor::clamp_min(const Scalar& min) const { return etude::clamp_min(*this, min); }
Tensor Tensor::clamp_max(const Scalar& max) const { return etude::clamp_max(*this, max); }
ETUDE_METHODS(clamp, (const optional<Scalar>& min, const optional<Scalar>& max), min, max)
ETUDE_METHODS(addcmul, (const Tensor& a, const Tensor& b, const Scalar& value), a, b, value)
ETUDE_METHODS(addcdiv, (const Tensor& a, const Tensor& b, const Scalar& value), a, b, value)

}  // namespace etude
