// Functions of one number with a slope, element by element. Each line of the list below is a formula and its
// gradient:
//
//   exp    dx = dy y                     sqrt        dx = dy / (2 y)            sin  dx = dy cos x
//   expm1  dx = dy (y + 1)               rsqrt       dx = -dy y^3 / 2           cos  dx = -dy sin x
//   log    dx = dy / x                   reciprocal  dx = -dy y^2               tan  dx = dy (1 + y^2)
//   log1p  dx = dy / (x + 1)             erf         dx = dy 2/sqrt(pi) e^-x^2
//   log2   dx = dy / (x ln 2)

#include <cmath>

#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using autograd::record;
using autograd::recording;
using autograd::Saved;
using detail::function;

constexpr double kLn2 = 0.693147180559945309417, kTwoOverSqrtPi = 1.12837916709551257390;

#define ETUDE_FORWARD(name, formula)                                     \
  Tensor name##_forward(const Tensor& self, const Tensor& out = {}) {    \
    return function(#name, self, out, [](double x) { return formula; }); \
  }
ETUDE_FORWARD(exp, std::exp(x))
ETUDE_FORWARD(expm1, std::expm1(x))
ETUDE_FORWARD(log, std::log(x))
ETUDE_FORWARD(log1p, std::log1p(x))
ETUDE_FORWARD(log2, std::log2(x))
ETUDE_FORWARD(sqrt, std::sqrt(x))
ETUDE_FORWARD(rsqrt, 1 / std::sqrt(x))
ETUDE_FORWARD(reciprocal, 1 / x)
ETUDE_FORWARD(sin, std::sin(x))
ETUDE_FORWARD(cos, std::cos(x))
ETUDE_FORWARD(tan, std::tan(x))
ETUDE_FORWARD(erf, std::erf(x))
#undef ETUDE_FORWARD

// For gradients that are written with the result, and those written with the input.
template <typename Gradient>
Tensor record_by_output(const char* name, const Tensor& self, const Tensor& y, Gradient gradient) {
  if (!recording({self})) return y;
  return record(name, {self}, y,
                [y = Saved::output(y), gradient](const Tensor& dy) { return gradient(dy, y.get()); });
}

template <typename Gradient>
Tensor record_by_input(const char* name, const Tensor& self, const Tensor& y, Gradient gradient) {
  if (!recording({self})) return y;
  return record(name, {self}, y,
                [x = Saved(self), gradient](const Tensor& dy) { return gradient(dy, x.get()); });
}

}  // namespace

Tensor exp(const Tensor& self) {
  return record_by_output("ExpBackward0", self, exp_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return dy * y; });
}
Tensor expm1(const Tensor& self) {
  return record_by_output("Expm1Backward0", self, expm1_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return dy * (y + 1); });
}
Tensor log(const Tensor& self) {
  return record_by_input("LogBackward0", self, log_forward(self),
                         [](const Tensor& dy, const Tensor& x) { return dy / x; });
}
Tensor log1p(const Tensor& self) {
  return record_by_input("Log1PBackward0", self, log1p_forward(self),
                         [](const Tensor& dy, const Tensor& x) { return dy / (x + 1); });
}
Tensor log2(const Tensor& self) {
  return record_by_input("Log2Backward0", self, log2_forward(self),
                         [](const Tensor& dy, const Tensor& x) { return dy / (x * kLn2); });
}
Tensor sqrt(const Tensor& self) {
  return record_by_output("SqrtBackward0", self, sqrt_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return dy / (y * 2); });
}
Tensor rsqrt(const Tensor& self) {
  return record_by_output("RsqrtBackward0", self, rsqrt_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return dy * pow(y, 3) * -0.5; });
}
Tensor reciprocal(const Tensor& self) {
  return record_by_output("ReciprocalBackward0", self, reciprocal_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return -dy * (y * y); });
}
Tensor sin(const Tensor& self) {
  return record_by_input("SinBackward0", self, sin_forward(self),
                         [](const Tensor& dy, const Tensor& x) { return dy * cos(x); });
}
Tensor cos(const Tensor& self) {
  return record_by_input("CosBackward0", self, cos_forward(self),
                         [](const Tensor& dy, const Tensor& x) { return dy * -sin(x); });
}
Tensor tan(const Tensor& self) {
  return record_by_output("TanBackward0", self, tan_forward(self),
                          [](const Tensor& dy, const Tensor& y) { return dy * (y * y + 1); });
}
Tensor erf(const Tensor& self) {
  return record_by_input("ErfBackward0", self, erf_forward(self), [](const Tensor& dy, const Tensor& x) {
    return dy * (exp(-(x * x)) * kTwoOverSqrtPi);
  });
}

ETUDE_UNARY_METHODS(exp)
ETUDE_UNARY_METHODS(expm1)
ETUDE_UNARY_METHODS(log)
ETUDE_UNARY_METHODS(log1p)
ETUDE_UNARY_METHODS(log2)
ETUDE_UNARY_METHODS(sqrt)
ETUDE_UNARY_METHODS(rsqrt)
ETUDE_UNARY_METHODS(reciprocal)
ETUDE_UNARY_METHODS(sin)
ETUDE_UNARY_METHODS(cos)
ETUDE_UNARY_METHODS(tan)
ETUDE_UNARY_METHODS(erf)

}  // namespace etude
