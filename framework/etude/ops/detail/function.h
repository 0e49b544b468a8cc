#pragma once

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/ops.h"

namespace etude::detail {

/// y = f(x) for a function of real numbers: integers become the default dtype; f is evaluated in double and
/// rounded once, so that float32 results are right to half a unit in the last place.
template <typename F>
Tensor function(const char* name, const Tensor& x, const Tensor& out, const F& f) {
  const ScalarType dtype = floating_of(impl(x).dtype);
  const Tensor from = as_type(x, dtype);
  const bool aside = out.defined() && impl(out).dtype != dtype;
  Tensor y =
      map_with([name](ScalarType t, auto g) { dispatch_floating(name, t, g); }, from, aside ? Tensor() : out,
               [f](auto v) { return static_cast<decltype(v)>(f(static_cast<double>(v))); });
  if (!aside) return y;
  output_for(out, impl(y).sizes, dtype, {});
  return out.copy_(y);
}

/// y, which does not change with x. Differentiated again it counts as a function of x whose gradient is zero.
inline Tensor constant_in(const Tensor& x, const Tensor& y) {
  return autograd::recording({x}) ? where(zeros({}, kBool), x, y) : y;
}

}  // namespace etude::detail

/// The two methods of a function `name` of one tensor, whose plain kernel is name_forward(x, out).
#define ETUDE_UNARY_METHODS(name)                                                                          \
  Tensor Tensor::name() const { return etude::name(*this); }                                               \
  Tensor& Tensor::name##_() const {                                                                        \
    return autograd::in_place(                                                                             \
        *this, {}, [](const Tensor& x) { return etude::name(x); }, [&] { name##_forward(*this, *this); }); \
  }
