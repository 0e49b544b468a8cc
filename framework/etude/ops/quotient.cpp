// Division that rounds, and remainders:
//
//   div(a, b, "floor"), div(a, b, "trunc")  steps with gradient zero
//   floor_divide  div(a, b, "floor") without a gradient, as in PyTorch
//   remainder     y = a - b floor(a / b),  da = dy,  db = -dy floor(a / b)
//   fmod          y = a - b trunc(a / b),  da = dy,  db = -dy trunc(a / b)

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/elementwise.h"

namespace etude {
namespace {

using namespace detail;

// Integers cannot be divided by zero.
template <typename F>
Tensor divide(const char* name, const Tensor& a, const Tensor& b, const Tensor& out, const F& f) {
  const ScalarType dtype = result_type(a, b);
  const Tensor divisor = as_type(b, dtype);
  if (!isFloatingType(dtype) && dtype != kBool && a.numel() > 0)
    ETUDE_CHECK(!divisor.detach().eq(0).any().item<bool>(), "ZeroDivisionError");
  return zip_with(Numbers{name}, dtype, a, divisor, out, f);
}

Tensor floor_divide_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  return divide("div_floor_cpu", a, b, out, [](auto u, auto v) { return floor_quotient(u, v); });
}

Tensor rounded_forward(const Tensor& a, const Tensor& b, const std::string& mode, const Tensor& out = {}) {
  ETUDE_CHECK(mode == "floor" || mode == "trunc",
              "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '", mode, "'");
  if (mode == "floor") return floor_divide_forward(a, b, out);
  return divide("div_trunc_cpu", a, b, out, [](auto u, auto v) { return trunc_quotient(u, v); });
}

Tensor rounded(const char* name, const Tensor& self, const Tensor& other, const std::string& mode) {
  return recorded(name, {self, other}, rounded_forward(self, other, mode),
                  [on_a = needs_grad(self), on_b = needs_grad(other)](const Tensor& dy) {
                    return Gradients{on_a ? zeros_like(dy) : Tensor(), on_b ? zeros_like(dy) : Tensor()};
                  });
}

Tensor& rounded_in_place(const char* name, const Tensor& self, const Tensor& other, const std::string& mode) {
  return in_place(
      self, {other}, [&](const Tensor& x) { return rounded(name, x, other, mode); },
      [&] { rounded_forward(self, other, mode, self); });
}

Tensor remainder_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  return divide("remainder_cpu", a, b, out, [](auto u, auto v) { return floor_remainder(u, v); });
}

Tensor fmod_forward(const Tensor& a, const Tensor& b, const Tensor& out = {}) {
  return divide("fmod_cpu", a, b, out, [](auto u, auto v) { return trunc_remainder(u, v); });
}

// A remainder, with a quotient rounded as `rounding` says.
template <typename Forward>
Tensor remainder_of(const char* name, const char* rounding, const Forward& forward, const Tensor& self,
                    const Tensor& other) {
  const Tensor y = forward(self, other, Tensor());
  if (!needs_grad(other)) return recorded(name, {self}, y, [](const Tensor& dy) { return dy; });
  return recorded(name, {self, other}, y, {self, other},
                  [rounding](const Tensor& dy, const Tensor& a, const Tensor& b) {
                    return Gradients{dy, -dy * div(a, b, rounding)};
                  });
}

}  // namespace

Tensor div(const Tensor& self, const Tensor& other, optional<std::string> rounding_mode) {
  ETUDE_OP(div, self, other, rounding_mode);
  return rounding_mode ? rounded("DivBackward2", self, other, *rounding_mode) : div(self, other);
}
Tensor div(const Tensor& self, const Scalar& other, optional<std::string> rounding_mode) {
  ETUDE_OP(div, self, other, rounding_mode);
  return rounding_mode ? rounded("DivBackward3", self, wrapped(other), *rounding_mode) : div(self, other);
}

Tensor floor_divide(const Tensor& self, const Tensor& other) {
  ETUDE_OP(floor_divide, self, other);
  return without_gradient("floor_divide", {self, other}, floor_divide_forward(self, other));
}
Tensor floor_divide(const Tensor& self, const Scalar& other) { return floor_divide(self, wrapped(other)); }

#define ETUDE_REMAINDER(name, rounding, of_tensor, of_number)                       \
  Tensor name(const Tensor& self, const Tensor& other) {                            \
    ETUDE_OP(name, self, other);                                                    \
    return remainder_of(of_tensor, rounding, name##_forward, self, other);          \
  }                                                                                 \
  Tensor name(const Tensor& self, const Scalar& other) {                            \
    ETUDE_OP(name, self, other);                                                    \
    return remainder_of(of_number, rounding, name##_forward, self, wrapped(other)); \
  }                                                                                 \
  ETUDE_METHODS(name, (const Tensor& other), other)                                 \
  ETUDE_METHOD(name, (const Scalar& other), other)                                  \
  Tensor& Tensor::name##_(const Scalar& other) const {                              \
    ETUDE_METHOD_OP(name##_, other);                                                \
    return in_place(                                                                \
        *this, {}, [&](const Tensor& x) { return etude::name(x, other); },          \
        [&] { name##_forward(*this, wrapped(other), *this); });                     \
  }
ETUDE_REMAINDER(remainder, "floor", "RemainderBackward1", "RemainderBackward0")
ETUDE_REMAINDER(fmod, "trunc", "FmodBackward1", "FmodBackward0")
#undef ETUDE_REMAINDER

#define ETUDE_ROUNDED(name)                                                        \
  Tensor Tensor::name(const Tensor& other, optional<std::string> mode) const {     \
    return etude::div(*this, other, std::move(mode));                              \
  }                                                                                \
  Tensor Tensor::name(const Scalar& other, optional<std::string> mode) const {     \
    return etude::div(*this, other, std::move(mode));                              \
  }                                                                                \
  Tensor& Tensor::name##_(const Tensor& other, optional<std::string> mode) const { \
    if (!mode) return div_(other);                                                 \
    ETUDE_METHOD_OP(name##_, other, mode);                                         \
    return rounded_in_place("DivBackward2", *this, other, *mode);                  \
  }                                                                                \
  Tensor& Tensor::name##_(const Scalar& other, optional<std::string> mode) const { \
    if (!mode) return div_(other);                                                 \
    ETUDE_METHOD_OP(name##_, other, mode);                                         \
    return rounded_in_place("DivBackward3", *this, wrapped(other), *mode);         \
  }
ETUDE_ROUNDED(div)
ETUDE_ROUNDED(divide)
#undef ETUDE_ROUNDED
ETUDE_BINARY_METHODS(floor_divide)

}  // namespace etude
