// Functions of one number with a slope, element by element. A row is a function y of x, its node, and its gradient
// as a formula of dy and of what is saved for it, x or y.

#include <cmath>

#include "etude/ops/detail/function.h"

namespace etude {

constexpr double kLn2 = 0.693147180559945309417, kTwoOverSqrtPi = 1.12837916709551257390;

// clang-format off
ETUDE_FUNCTION(exp,        std::exp(x),      "ExpBackward0",        y, dy * y)
ETUDE_FUNCTION(expm1,      std::expm1(x),    "Expm1Backward0",      y, dy * (y + 1))
ETUDE_FUNCTION(log,        std::log(x),      "LogBackward0",        x, dy / x)
ETUDE_FUNCTION(log1p,      std::log1p(x),    "Log1PBackward0",      x, dy / (x + 1))
ETUDE_FUNCTION(log2,       std::log2(x),     "Log2Backward0",       x, dy / (x * kLn2))
ETUDE_FUNCTION(sqrt,       std::sqrt(x),     "SqrtBackward0",       y, dy / (y * 2))
ETUDE_FUNCTION(rsqrt,      1 / std::sqrt(x), "RsqrtBackward0",      y, dy * pow(y, 3) * -0.5)
ETUDE_FUNCTION(reciprocal, 1 / x,            "ReciprocalBackward0", y, -dy * (y * y))
ETUDE_FUNCTION(sin,        std::sin(x),      "SinBackward0",        x, dy * cos(x))
ETUDE_FUNCTION(cos,        std::cos(x),      "CosBackward0",        x, dy * -sin(x))
ETUDE_FUNCTION(tan,        std::tan(x),      "TanBackward0",        y, dy * (y * y + 1))
ETUDE_FUNCTION(erf,        std::erf(x),      "ErfBackward0",        x, dy * (exp(-(x * x)) * kTwoOverSqrtPi))
// clang-format on

}  // namespace etude
