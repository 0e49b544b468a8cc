// Elementwise choices between numbers, and functions of three tensors that optimizers use:
//
//   maximum, minimum  dy goes to the chosen operand, half to each where both are equal
//   clamp             dx = dy where min < x < max,  dmin = dy where x < min,  dmax = dy where x > max; where max < min,
//                     the result is max, and dmax = dy; where a tensor of bounds equals x, each gets half of dy
//   addcmul           y = x + v a b,      dx = dy,  da = dy v b,  db = dy v a
//   addcdiv           y = x + v a / b,    dx = dy,  da = dy v / b,  db = -dy v a / b^2
//   lerp              y = x + w (e - x),  dx = dy (1 - w),  de = dy w,  dw = dy (e - x)

#include <cmath>
#include <functional>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// The operand that comes first by `Before`; nan wins over every number.
template <typename Before>
constexpr auto first_by = [](auto a, auto b) {
  if constexpr (is_floating<decltype(a)>) return a != a ? a : b != b ? b : Before()(a, b) ? a : b;
  else return Before()(a, b) ? a : b;
};

// The gradient of an operand: half of dy where it `equals` the other, none where it `lost`.
Tensor half_or_none(const Tensor& dy, const Tensor& equals, const Tensor& lost) {
  return where(equals, dy * 0.5, dy).masked_fill(lost, 0);
}

template <typename Before>
Tensor chosen(const char* op, const char* name, const Tensor& self, const Tensor& other, Before before) {
  const Tensor y = zip_with(EveryType{op}, result_type(self, other), self, other, {}, first_by<Before>);
  return recorded(name, {self, other}, y, {self, other},
                  [on_a = needs_grad(self), on_b = needs_grad(other), before](
                      const Tensor& dy, const Tensor& u, const Tensor& v) {
                    const Tensor equals = u.eq(v);
                    return Gradients{on_a ? half_or_none(dy, equals, before(v, u)) : Tensor(),
                                     on_b ? half_or_none(dy, equals, before(u, v)) : Tensor()};
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
  const EveryType every_type{!max   ? "clamp_min_scalar_cpu"
                             : !min ? "clamp_max_scalar_cpu"
                                    : "clamp_scalar_cpu"};
  ETUDE_CHECK_WITH(NotImplementedError, dtype != kBool, "\"", every_type.op, "\" not implemented for 'Bool'");
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

Tensor clamp_forward(const Tensor& x, const optional<Tensor>& min, const optional<Tensor>& max,
                     const Tensor& out = {}) {
  const Tensor &low = input_of(min), &high = input_of(max);
  const bool has_low = low.defined(), has_high = high.defined();
  ETUDE_CHECK(has_low || has_high, "torch.clamp: At least one of 'min' or 'max' must not be None");
  const ScalarType dtype = common_type({&impl(x), &impl(has_low ? low : high), &impl(has_high ? high : low)});
  const EveryType every_type{"clamp_cpu"};
  if (dtype == kBool && has_low && has_high) refuse_dtype(every_type.op, kBool);
  Tensor y = x;
  if (has_low) y = zip_with(every_type, dtype, y, low, {}, first_by<std::greater<>>);
  if (has_high) y = zip_with(every_type, dtype, y, high, {}, first_by<std::less<>>);
  return copied_to(out, y);
}

Tensor addcmul_forward(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value,
                       const Tensor& out = {}) {
  const ScalarType dtype = common_type({&impl(self), &impl(a), &impl(b)});
  return zip_three(
      Numbers{"addcmul_cpu_out"}, dtype, self, a, b, value, out,
      [](auto x, auto u, auto v, auto factor) { return Plus()(x, Times()(Times()(factor, u), v)); });
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
  return zip_three(Floating{"addcdiv_cpu_out"}, dtype, self, a, b, value, out,
                   [](auto x, auto u, auto v, auto factor) { return x + factor * u / v; });
}

Tensor clamped(const char* name, const Tensor& self, const optional<Scalar>& min,
               const optional<Scalar>& max) {
  return recorded(name, {self}, clamp_forward(self, min, max), {self},
                  [min, max](const Tensor& dy, const Tensor& v) {
                    Tensor dx = dy;
                    if (min) dx = where(v.gt(*min), dx, 0.0);
                    if (max) dx = where(v.lt(*max), dx, 0.0);
                    return dx;
                  });
}

// Where min is above max the result is max.
Tensor clamped(const char* name, const Tensor& self, const optional<Tensor>& min,
               const optional<Tensor>& max) {
  const Tensor &low = input_of(min), &high = input_of(max);
  if (low.defined() && !high.defined()) return chosen("clamp_cpu", name, self, low, std::greater<>());
  if (high.defined() && !low.defined()) return chosen("clamp_cpu", name, self, high, std::less<>());
  const Tensor y = clamp_forward(self, low, high);  // refuses two bounds that are not given
  return recorded(name, {self, low, high}, y, {self, low, high},
                  [on_low = needs_grad(low), on_high = needs_grad(high)](const Tensor& dy, const Tensor& x,
                                                                         const Tensor& lo, const Tensor& hi) {
                    const Tensor below = x.lt(lo), above = x.gt(hi), apart = lo.lt(hi), ordered = lo.le(hi),
                                 at_low = x.eq(lo) & apart, at_high = x.eq(hi) & apart,
                                 is_low = at_low | (below & ordered),
                                 is_high = at_high | (above & ordered) | hi.lt(lo);
                    return Gradients{half_or_none(dy, at_low | at_high, below | above),
                                     on_low ? half_or_none(dy, at_low, is_low.logical_not()) : Tensor(),
                                     on_high ? half_or_none(dy, at_high, is_high.logical_not()) : Tensor()};
                  });
}

// Computed from the nearer end, so that w = 1 gives e exactly.
template <typename T>
T between(T x, T e, T w) {
  return std::fabs(w) < T(0.5) ? x + w * (e - x) : e - (e - x) * (1 - w);
}

void check_type(const char* what, const Tensor& self, const Tensor& other) {
  ETUDE_CHECK(self.scalar_type() == other.scalar_type(), "expected dtype ",
              row_of(self.scalar_type()).cpp_name, " for `", what, "` but got dtype ",
              row_of(other.scalar_type()).cpp_name);
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Scalar& weight, const Tensor& out = {}) {
  check_type("end", self, end);
  check_fits(weight, self.scalar_type());
  const double w = weight.toDouble();
  return zip_with(Floating{"lerp_kernel_scalar"}, self.scalar_type(), self, end, out,
                  [w](auto x, auto e) { return between(x, e, static_cast<decltype(x)>(w)); });
}

Tensor lerp_forward(const Tensor& self, const Tensor& end, const Tensor& weight, const Tensor& out = {}) {
  check_type("end", self, end);
  check_type("weight", self, weight);
  return zip_three(Floating{"lerp_kernel_tensor"}, self.scalar_type(), self, end, weight, 0, out,
                   [](auto x, auto e, auto w, auto) { return between(x, e, w); });
}

}  // namespace

Tensor maximum(const Tensor& self, const Tensor& other) {
  ETUDE_OP(maximum, self, other);
  return chosen("maximum_cpu", "MaximumBackward0", self, other, std::greater<>());
}

Tensor minimum(const Tensor& self, const Tensor& other) {
  ETUDE_OP(minimum, self, other);
  return chosen("minimum_cpu", "MinimumBackward0", self, other, std::less<>());
}

// With numbers as bounds, and with tensors.
#define ETUDE_CLAMPS(Bound, of_two, of_min, of_max)                                          \
  static void clamp_min_forward(const Tensor& x, const Bound& min, const Tensor& out) {      \
    clamp_forward(x, optional<Bound>(min), optional<Bound>(), out);                          \
  }                                                                                          \
  static void clamp_max_forward(const Tensor& x, const Bound& max, const Tensor& out) {      \
    clamp_forward(x, optional<Bound>(), optional<Bound>(max), out);                          \
  }                                                                                          \
  Tensor clamp(const Tensor& self, const optional<Bound>& min, const optional<Bound>& max) { \
    ETUDE_OP(clamp, self, min, max);                                                         \
    return clamped(of_two, self, min, max);                                                  \
  }                                                                                          \
  Tensor clamp_min(const Tensor& self, const Bound& min) {                                   \
    ETUDE_OP(clamp_min, self, min);                                                          \
    return clamped(of_min, self, optional<Bound>(min), optional<Bound>());                   \
  }                                                                                          \
  Tensor clamp_max(const Tensor& self, const Bound& max) {                                   \
    ETUDE_OP(clamp_max, self, max);                                                          \
    return clamped(of_max, self, optional<Bound>(), optional<Bound>(max));                   \
  }                                                                                          \
  ETUDE_METHODS(clamp, (const optional<Bound>& min, const optional<Bound>& max), min, max)   \
  ETUDE_METHODS(clamp_min, (const Bound& min), min)                                          \
  ETUDE_METHODS(clamp_max, (const Bound& max), max)
ETUDE_CLAMPS(Scalar, "ClampBackward1", "ClampMinBackward0", "ClampMaxBackward0")
ETUDE_CLAMPS(Tensor, "ClampBackward0", "ClampMinBackward1", "ClampMaxBackward1")
#undef ETUDE_CLAMPS

Tensor addcmul(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  ETUDE_OP(addcmul, self, a, b, value);
  return recorded("AddcmulBackward0", {self, a, b}, addcmul_forward(self, a, b, value),
                  {{a, needs_grad(b)}, {b, needs_grad(a)}},
                  [value](const Tensor& dy, const Tensor& u, const Tensor& v) {
                    return Gradients{dy, v.defined() ? dy * (v * value) : Tensor(),
                                     u.defined() ? dy * (u * value) : Tensor()};
                  });
}

Tensor addcdiv(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& value) {
  ETUDE_OP(addcdiv, self, a, b, value);
  return recorded("AddcdivBackward0", {self, a, b}, addcdiv_forward(self, a, b, value),
                  {{a, needs_grad(b)}, b},
                  [on_a = needs_grad(a), value](const Tensor& dy, const Tensor& u, const Tensor& v) {
                    return Gradients{dy, on_a ? dy * (value / v) : Tensor(),
                                     u.defined() ? -dy * ((u * value) / (v * v)) : Tensor()};
                  });
}

Tensor Tensor::maximum(const Tensor& other) const { return etude::maximum(*this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return etude::minimum(*this, other); }
ETUDE_METHODS(addcmul, (const Tensor& a, const Tensor& b, const Scalar& value), a, b, value)
ETUDE_METHODS(addcdiv, (const Tensor& a, const Tensor& b, const Scalar& value), a, b, value)

Tensor lerp(const Tensor& self, const Tensor& end, const Scalar& weight) {
  ETUDE_OP(lerp, self, end, weight);
  return recorded("LerpBackward0", {self, end}, lerp_forward(self, end, weight),
                  [w = weight.toDouble()](const Tensor& dy) {
                    return Gradients{dy * (1 - w), dy * w};
                  });
}

Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight) {
  ETUDE_OP(lerp, self, end, weight);
  const bool on_weight = needs_grad(weight);
  return recorded("LerpBackward1", {self, end, weight}, lerp_forward(self, end, weight),
                  {{self, on_weight}, {end, on_weight}, weight},
                  [](const Tensor& dy, const Tensor& x, const Tensor& e, const Tensor& w) {
                    return Gradients{dy * (1 - w), dy * w, x.defined() ? dy * (e - x) : Tensor()};
                  });
}

ETUDE_METHODS(lerp, (const Tensor& end, const Scalar& weight), end, weight)
ETUDE_METHODS(lerp, (const Tensor& end, const Tensor& weight), end, weight)

}  // namespace etude
