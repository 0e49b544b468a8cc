// Elementwise functions of one number. A row has a function y of x, its node, and its gradient as a formula of dy and of the
// saved tensor, x or y. The last ones are straight lines or steps, in the type of their input.

#include <atomic>
#include <cmath>
#include <limits>

#include "etude/ops/detail/arithmetic.h"
#include "etude/ops/detail/function.h"
#include "etude/ops/detail/lanes.h"

namespace etude {

constexpr double kLn2 = 0.693147180559945309417, kTwoOverSqrtPi = 1.12837916709551257390,
                 kTwoOverPi = 0.636619772367581343076;

namespace {

using namespace detail;

// Whether these floats are in the range where FloatMath computes sines.
bool are_small_angles(const Tensor& x) {
  const TensorImpl& a = impl(x);
  if (a.dtype != kFloat || !a.contiguous) return false;
  std::atomic<bool> small{true};
  parallel_for(0, a.numel, kGrain, [&](int64_t begin, int64_t end) {
    float largest = 0;
    vectorised([&] {
      largest = fold_lane(
          end - begin, 0.0f, [from = a.data<float>() + begin](int64_t i) { return std::fabs(from[i]); },
          [](float p, float q) { return p < q || q != q ? q : p; });
    });
    if (!(largest < kSmallAngle)) small = false;
  });
  return small;
}

Tensor sin_forward(const Tensor& x, const Tensor& out = {}) {
  if (are_small_angles(x)) return function("sin", x, out, [](double v, auto math) { return math.sin(v); });
  return function("sin", x, out, [](double v, auto) { return std::sin(v); });
}

Tensor cos_forward(const Tensor& x, const Tensor& out = {}) {
  if (are_small_angles(x)) return function("cos", x, out, [](double v, auto math) { return math.cos(v); });
  return function("cos", x, out, [](double v, auto) { return std::cos(v); });
}

// The y with erf(y) = x: a start value with three correct digits (Winitzki 2008), followed by Halley's steps, each of which
// triples the correct digits. Near 1, the error is computed from 1 - x, which is precise.
double inverse_erf(double x) {
  const double a = std::fabs(x);
  if (!(a < 1)) return a == 1 ? x * std::numeric_limits<double>::infinity() : std::nan("");
  constexpr double kCurve = 0.147;
  const double logarithm = std::log1p(-a * a), half = kTwoOverPi / kCurve + logarithm / 2;
  double y = std::sqrt(std::sqrt(half * half - logarithm / kCurve) - half);
  for (int step = 0; step < 3; ++step) {
    const double error = a > 0.5 ? (1 - a) - std::erfc(y) : std::erf(y) - a;
    const double shift = error / (kTwoOverSqrtPi * std::exp(-y * y));
    y -= shift / (1 + y * shift);
  }
  return std::copysign(y, x);
}

Tensor neg_forward(const Tensor& x, const Tensor& out = {}) {
  ETUDE_CHECK_WITH(
      NotImplementedError, x.scalar_type() != kBool,
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
  return map_with(EveryType{"sign_cpu"}, x, out, [](auto v) {
    using T = decltype(v);
    return static_cast<T>((v > T(0)) - (v < T(0)));
  });
}

Tensor frac_forward(const Tensor& x, const Tensor& out = {}) {
  return map_with(Floating{"frac_cpu"}, x, out, [](auto v) { return v - std::trunc(v); });
}

// Integers need no rounding.
template <typename F>
Tensor rounded(const char* name, const Tensor& x, const Tensor& out, const F& f) {
  ETUDE_CHECK_WITH(NotImplementedError, x.scalar_type() != kBool, "\"", name,
                   "\" not implemented for 'Bool'");
  if (!x.is_floating_point()) return out.defined() ? out : x.detach().clone();
  return map_with(Floating{name}, x, out, f);
}

}  // namespace

// clang-format off
ETUDE_FUNCTION(exp,        math.exp(x),      "ExpBackward0",        y, dy * y)
ETUDE_FUNCTION(expm1,      math.expm1(x),    "Expm1Backward0",      y, dy * (y + 1))
ETUDE_FUNCTION(log,        math.log(x),      "LogBackward0",        x, dy / x)
ETUDE_FUNCTION(log1p,      math.log1p(x),    "Log1PBackward0",      x, dy / (x + 1))
ETUDE_FUNCTION(log2,       std::log2(x),     "Log2Backward0",       x, dy / (x * kLn2))
ETUDE_FUNCTION(sqrt,       std::sqrt(x),     "SqrtBackward0",       y, dy / (y * 2))
ETUDE_FUNCTION(rsqrt,      1 / std::sqrt(x), "RsqrtBackward0",      y, dy * pow(y, 3) * -0.5)
ETUDE_FUNCTION(reciprocal, 1 / x,            "ReciprocalBackward0", y, -dy * (y * y))
ETUDE_FUNCTION(tan,        std::tan(x),      "TanBackward0",        y, dy * (y * y + 1))
ETUDE_FUNCTION(asin,       std::asin(x),     "AsinBackward0",       x, dy * rsqrt(x * -x + 1))
ETUDE_FUNCTION(acos,       std::acos(x),     "AcosBackward0",       x, dy * -rsqrt(x * -x + 1))
ETUDE_FUNCTION(atan,       std::atan(x),     "AtanBackward0",       x, dy / (x * x + 1))
ETUDE_FUNCTION(sinh,       std::sinh(x),     "SinhBackward0",       x, dy * cosh(x))
ETUDE_FUNCTION(cosh,       std::cosh(x),     "CoshBackward0",       x, dy * sinh(x))
ETUDE_FUNCTION(asinh,      std::asinh(x),    "AsinhBackward0",      x, dy * rsqrt(x * x + 1))
ETUDE_FUNCTION(acosh,      std::acosh(x),    "AcoshBackward0",      x, dy * rsqrt(x * x - 1))
ETUDE_FUNCTION(atanh,      std::atanh(x),    "AtanhBackward0",      x, dy / (x * -x + 1))
ETUDE_FUNCTION(erf,        math.erf(x),      "ErfBackward0",        x, dy * (exp(-(x * x)) * kTwoOverSqrtPi))
ETUDE_FUNCTION(erfinv,     inverse_erf(x),   "ErfinvBackward0",     y, dy * (exp(y * y) * (1 / kTwoOverSqrtPi)))
ETUDE_RECORDED(sin, "SinBackward0", x, dy * cos(x))
ETUDE_RECORDED(cos, "CosBackward0", x, dy * -sin(x))
// clang-format on
ETUDE_UNARY_METHODS(sin)
ETUDE_UNARY_METHODS(cos)

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
ETUDE_RECORDED(frac, "FracBackward0", nothing, dy)
// clang-format on
ETUDE_UNARY_METHODS(neg)
ETUDE_UNARY_METHODS(abs)
ETUDE_UNARY_METHODS(sign)
ETUDE_UNARY_METHODS(frac)
ETUDE_ROUNDING(floor, "FloorBackward0", std::floor)
ETUDE_ROUNDING(ceil, "CeilBackward0", std::ceil)
ETUDE_ROUNDING(round, "RoundBackward0", std::nearbyint)
ETUDE_ROUNDING(trunc, "TruncBackward0", std::trunc)

Tensor Tensor::operator-() const { return etude::neg(*this); }

}  // namespace etude
