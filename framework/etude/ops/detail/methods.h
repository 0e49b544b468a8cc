#pragma once

#include "etude/autograd/detail/in_place.h"
#include "etude/ops/ops.h"

namespace etude::detail {

/// A tensor among the arguments of an op, whose gradient counts.
inline const Tensor& input_of(const Tensor& t) { return t; }
template <typename T>
const Tensor& input_of(const T&) {
  static const Tensor none;
  return none;
}

/// The in-place form of an op: op(x, arguments...) is the op itself, forward(self, arguments..., self) writes its result into
/// self.
template <typename Op, typename Forward, typename... Arguments>
Tensor& in_place_form(const Op& op, const Forward& forward, const Tensor& self,
                      const Arguments&... arguments) {
  return autograd::detail::in_place(
      self, {input_of(arguments)...}, [&](const Tensor& x) { return op(x, arguments...); },
      [&] { forward(self, arguments..., self); });
}

}  // namespace etude::detail

/// Both methods of a function `name`, whose plain kernel is name_forward(x, arguments..., out): its parameters after the
/// tensor, and their names.
#define ETUDE_METHODS(name, parameters, ...)                                                            \
  Tensor Tensor::name parameters const { return etude::name(*this, __VA_ARGS__); }                      \
  Tensor& Tensor::name##_ parameters const {                                                            \
    return detail::in_place_form([](const auto&... arguments) { return etude::name(arguments...); },    \
                                 [](const auto&... arguments) { name##_forward(arguments...); }, *this, \
                                 __VA_ARGS__);                                                          \
  }

/// All methods of a function of two tensors, or of a tensor and a number.
#define ETUDE_BINARY_METHODS(name)                                                     \
  ETUDE_METHODS(name, (const Tensor& other), other)                                    \
  Tensor Tensor::name(const Scalar& other) const { return etude::name(*this, other); } \
  Tensor& Tensor::name##_(const Scalar& other) const { return name##_(detail::wrapped(other)); }
