#pragma once

#include "etude/ops/detail/elementary.h"
#include "etude/ops/detail/elementwise.h"

namespace etude::detail {

/// y = f(x, math) for a function of real numbers; integers become the default dtype. f is evaluated in double with the
/// functions in `math` for the type, and rounded once, so that float32 results are right to half a unit in the last place.
template <typename F>
Tensor function(const char* name, const Tensor& x, const Tensor& out, const F& f) {
  const ScalarType dtype = floating_of(impl(x).dtype);
  const Tensor from = as_type(x, dtype);
  const bool aside = out.defined() && impl(out).dtype != dtype;
  const Tensor y = map_with(Floating{name}, from, aside ? Tensor() : out, ByForm{[f](auto form, auto v) {
                              using T = decltype(v);
                              return static_cast<T>(f(static_cast<double>(v), MathFor<T, decltype(form)>()));
                            }});
  return aside ? copied_to(out, y) : y;
}

/// y, which does not change with x. When differentiated again, it counts as a function of x with gradient zero.
inline Tensor constant_in(const Tensor& x, const Tensor& y) {
  return recording({x}) ? where(zeros({}, kBool), x, y) : y;
}

/// Records y as a function of x. The gradient is a formula of dy and x, of dy and y, or of dy alone.
template <typename Gradient>
Tensor recorded_by_x(const char* node, const Tensor& x, const Tensor& y, Gradient gradient) {
  return recorded(node, {x}, y, {x}, gradient);
}
template <typename Gradient>
Tensor recorded_by_y(const char* node, const Tensor& x, const Tensor& y, Gradient gradient) {
  return recorded(node, {x}, y, {kResult}, gradient);
}
template <typename Gradient>
Tensor recorded_by_nothing(const char* node, const Tensor& x, const Tensor& y, Gradient gradient) {
  return recorded(node, {x}, y, [gradient](const Tensor& dy) { return gradient(dy, dy); });
}

}  // namespace etude::detail

/// Defines the two methods of a function `name` of one tensor with the plain kernel name_forward(x, out).
#define ETUDE_UNARY_METHODS(name)                                                                          \
  Tensor Tensor::name() const { return etude::name(*this); }                                               \
  Tensor& Tensor::name##_() const {                                                                        \
    ETUDE_METHOD_OP(name##_, );                                                                            \
    return autograd::detail::in_place(                                                                     \
        *this, {}, [](const Tensor& x) { return etude::name(x); }, [&] { name##_forward(*this, *this); }); \
  }

/// A row in a table of functions with the plain kernel name_forward(x, out): the name, its node, and the gradient as a
/// formula of dy and the saved tensor, which is x, y or nothing.
#define ETUDE_RECORDED(name, node, saved, gradient)                                             \
  Tensor name(const Tensor& self) {                                                             \
    ETUDE_OP(name, self);                                                                       \
    return detail::recorded_by_##saved(                                                         \
        node, self, name##_forward(self),                                                       \
        []([[maybe_unused]] const Tensor& dy, [[maybe_unused]] const Tensor& saved) -> Tensor { \
          return gradient;                                                                      \
        });                                                                                     \
  }

/// A row with methods, for a function of real numbers given as a formula of one number x. math.exp(x) and the like are
/// the functions for its type.
#define ETUDE_FUNCTION(name, formula, node, saved, gradient)                                                 \
  static Tensor name##_forward(const Tensor& self, const Tensor& out = {}) {                                 \
    return detail::function(#name, self, out, [](double x, [[maybe_unused]] auto math) { return formula; }); \
  }                                                                                                          \
  ETUDE_RECORDED(name, node, saved, gradient)                                                                \
  ETUDE_UNARY_METHODS(name)
