// gelu, after Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016:
//
//   y = x Phi(x)                               dx = dy (Phi(x) + x phi(x))
//       with Phi and phi the normal distribution and its density; for approximate = "tanh"
//   y = x (1 + tanh u) / 2                     dx = dy ((1 + t) + x (1 - t^2) u') / 2,  t = tanh u
//       with u = sqrt(2/pi) (x + 0.044715 x^3)

#include <cmath>

#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

constexpr double kSqrtHalf = 0.707106781186547524401, kInvSqrt2Pi = 0.398942280401432677940;
constexpr double kSqrt2OverPi = 0.797884560802865355880, kCubic = 0.044715;

// Phi(x), or (1 + tanh u) / 2, which is the logistic function of 2 u.
template <typename Form>
double weight(Form, double x, bool by_tanh) {
  if (by_tanh) return 1 / (1 + std::exp(-2 * kSqrt2OverPi * (x + kCubic * x * x * x)));
  return 0.5 * std::erfc(-x * kSqrtHalf);
}

template <typename Form>
float weight(Form form, float x, bool by_tanh) {
  constexpr auto a = static_cast<float>(-2 * kSqrt2OverPi), b = static_cast<float>(kCubic);
  if (by_tanh) {
    const float v = Form::fma(b * x * x, x, x) * a;
    return v > 70 ? 0 : 1 / (1 + fast_exp(form, v));
  }
  // A Chebyshev fit of e^(x^2 / 2) Phi(-x) / t for x of 0 to 14.
  const float t = 1 / Form::fma(0.35f, std::fabs(x), 1.0f);
  const float fit = polynomial(form, t, -0.029679522f, 0.14654583f, -0.26096123f, 0.1650509959f,
                               -0.027046608f, 0.10711459f, 0.11944492f, 0.1399123f, 0.13961871f);
  const float tail = fit * t * fast_exp(form, -0.5f * x * x);
  return x < 0 ? tail : 1 - tail;
}

template <typename Form, typename T>
T slope_of(Form form, T x, bool by_tanh) {
  const T w = weight(form, x, by_tanh);
  if (by_tanh)
    return Form::fma(x * w * (1 - w), T(2 * kSqrt2OverPi) * Form::fma(T(3 * kCubic) * x, x, T(1)), w);
  return Form::fma(x * fast_exp(form, T(-0.5) * x * x), T(kInvSqrt2Pi), w);
}

// Of ops, so that it can be differentiated again.
Tensor slope(const Tensor& x, bool by_tanh) {
  if (!by_tanh) return (erf(x * kSqrtHalf) + 1) * 0.5 + x * (exp(x * x * -0.5) * kInvSqrt2Pi);
  const Tensor t = tanh((x + pow(x, 3) * kCubic) * kSqrt2OverPi);
  return (t + 1) * 0.5 + x * 0.5 * (1 - t * t) * ((x * x * (3 * kCubic) + 1) * kSqrt2OverPi);
}

Tensor forward(const Tensor& self, bool by_tanh) {
  const auto of = [&](const auto& f) { return map_with(Floating{"GeluKernelImpl"}, self, {}, f); };
  return by_tanh ? of(ByForm{[](auto form, auto x) { return x * weight(form, x, true); }})
                 : of(ByForm{[](auto form, auto x) { return x * weight(form, x, false); }});
}

// Of ops if it may be differentiated again, else by a kernel.
Tensor backward(const Tensor& self, const Tensor& gradient, bool by_tanh) {
  if (recording({self, gradient})) return gradient * slope(self, by_tanh);
  const auto of = [&](const auto& f) {
    return zip_with(Floating{"GeluBackwardKernelImpl"}, self.scalar_type(), self, gradient, {}, f);
  };
  return by_tanh ? of(ByForm{[](auto form, auto x, auto dy) { return dy * slope_of(form, x, true); }})
                 : of(ByForm{[](auto form, auto x, auto dy) { return dy * slope_of(form, x, false); }});
}

}  // namespace

Tensor gelu(const Tensor& self, const std::string& approximate) {
  ETUDE_CHECK(approximate == "none" || approximate == "tanh",
              "approximate argument must be either none or tanh.\nreceived '", approximate, "'");
  const bool by_tanh = approximate == "tanh";
  return recorded("GeluBackward0", {self}, forward(self, by_tanh), {self},
                  [by_tanh](const Tensor& dy, const Tensor& x) { return backward(x, dy, by_tanh); });
}

}  // namespace etude
