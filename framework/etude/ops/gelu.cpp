// gelu, after Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016:
//
//   y = x Phi(x)                               dx = dy (Phi(x) + x phi(x))
//       where Phi and phi are the normal distribution and its density; for approximate = "tanh"
//   y = x (1 + tanh u) / 2                     dx = dy ((1 + t) + x (1 - t^2) u') / 2,  t = tanh u
//       where u = sqrt(2/pi) (x + 0.044715 x^3)

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

inline float eighth_power(float x) {
  const float square = x * x, fourth = square * square;
  return fourth * fourth;
}

template <typename Form>
float weight(Form form, float x, bool by_tanh) {
  constexpr auto a = static_cast<float>(-2 * kSqrt2OverPi), b = static_cast<float>(kCubic);
  if (by_tanh) {
    const float v = Form::fma(b * x * x, x, x) * a;
    return v > 70 ? 0 : 1 / (1 + fast_exp(form, v));
  }
  // A fit of (2 Phi(-|x|))^(1/8) that minimizes the absolute error; Phi(-5.8) is 3e-9.
  const float size = std::fabs(x);
  const float root =
      polynomial(form, size, -3.17756104e-07f, 8.08178902e-06f, -6.52483068e-05f, 3.58895377e-05f,
                 0.00164330914f, -0.000735709851f, -0.0348161459f, -0.0997354612f, 1.0f);
  const float tail = 0.5f * eighth_power(size < 5.8f ? root : 0);
  return x < 0 ? tail : 1 - tail;
}

// e^(-x^2 / 2)
template <typename Form>
double bell(Form, double x) {
  return std::exp(-0.5 * x * x);
}

template <typename Form>
float bell(Form form, float x) {
  const float root = polynomial(form, x * x, 4.95446392e-11f, -7.29123029e-09f, 6.29508406e-07f,
                                -4.06610634e-05f, 0.00195306609f, -0.0624999627f, 1.0f);
  return eighth_power(std::fabs(x) < 5.8f ? root : 0);
}

template <typename Form, typename T>
T slope_of(Form form, T x, bool by_tanh) {
  const T w = weight(form, x, by_tanh);
  if (by_tanh)
    return Form::fma(x * w * (1 - w), T(2 * kSqrt2OverPi) * Form::fma(T(3 * kCubic) * x, x, T(1)), w);
  return Form::fma(x * bell(form, x), T(kInvSqrt2Pi), w);
}

// Composed of ops, so that it can be differentiated again.
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

// Built from differentiable ops if a second derivative may be needed, otherwise computed by a kernel.
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
  ETUDE_OP(gelu, self, approximate);
  ETUDE_CHECK(approximate == "none" || approximate == "tanh",
              "approximate argument must be either none or tanh.\nreceived '", approximate, "'");
  const bool by_tanh = approximate == "tanh";
  return recorded("GeluBackward0", {self}, forward(self, by_tanh), {self},
                  [by_tanh](const Tensor& dy, const Tensor& x) { return backward(x, dy, by_tanh); });
}

}  // namespace etude
