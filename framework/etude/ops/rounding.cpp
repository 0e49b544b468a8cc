// Elementwise functions of one number that are straight lines or steps, in the type of their input.

#include <cmath>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

Tensor neg_forward(const Tensor& x, const Tensor& out = {}) {
  ETUDE_CHECK(x.scalar_type() != kBool,
              "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
              "mask, use the `~` or `logical_not()` operator instead.");
  return map_with(Numbers{"neg_cpu"}, x, out, [](auto v) {
    if constexpr (is_floating<decltype(v)>) return -v;
    else return Minus{}(decltype(v)(0), v);
  });
}

Tensor abs_forward(const Tensor& x, const Tensor& out = {}) {
  return map_with(Numbers{"abs_cpu"}, x, out, [](auto v) {
    using T = decltype(v);
    if constexpr (is_floating<T>) return std::fabs(v);
    else if constexpr (std::is_signed_v<T>) return v < 0 ? Minus{}(T(0), v) : v;
    else return v;
  });
}

Tensor sign_forward(const Tensor& x, const Tensor& out = {}) {
  return map_with(EveryType{}, x, out, [](auto v) {
    using T = decltype(v);
    if constexpr (std::is_same_v<T, bool>) return v;
    else if constexpr (std::is_signed_v<T>) return static_cast<T>((v > 0) - (v < 0));
    else return static_cast<T>(v > 0);
  });
}

// Integers need no rounding.
template <typename F>
Tensor rounded(const char* name, const Tensor& x, const Tensor& out, const F& f) {
  ETUDE_CHECK(x.scalar_type() != kBool, "\"", name, "\" not implemented for 'Bool'");
  if (!x.is_floating_point()) return out.defined() ? out : x.detach().clone();
  return map_with(Floating{name}, x, out, f);
}

}  // namespace

// A row for a rounding function: the name, its node and the function.
#define ETUDE_ROUNDING(name, node, function)                                      \
  static Tensor name##_forward(const Tensor& x, const Tensor& out = {}) {         \
    return rounded(#name "_vml_cpu", x, out, [](auto v) { return function(v); }); \
  }                                                                               \
  ETUDE_RECORDED(name, node, nothing, zeros_like(dy))                             \
  ETUDE_UNARY_METHODS(name)

// clang-format off
ETUDE_RECORDED(neg,  "NegBackward0",  nothing, dy.neg())
ETUDE_RECORDED(abs,  "AbsBackward0",  x,       dy * x.sign())
ETUDE_RECORDED(sign, "SignBackward0", nothing, zeros_like(dy))
// clang-format on
ETUDE_UNARY_METHODS(neg)
ETUDE_UNARY_METHODS(abs)
ETUDE_UNARY_METHODS(sign)
ETUDE_ROUNDING(floor, "FloorBackward0", std::floor)
ETUDE_ROUNDING(ceil, "CeilBackward0", std::ceil)
ETUDE_ROUNDING(round, "RoundBackward0", std::nearbyint)
ETUDE_ROUNDING(trunc, "TruncBackward0", std::trunc)

Tensor Tensor::operator-() const { return etude::neg(*this); }

}  // namespace etude
