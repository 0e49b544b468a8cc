// gelu, after Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016:
//
//   y = x Phi(x)                               dx = dy (Phi(x) + x phi(x))
//       with Phi and phi the normal distribution and its density; for approximate = "tanh"
//   y = x (1 + tanh u) / 2                     dx = dy ((1 + t) + x (1 - t^2) u') / 2,  t = tanh u
//       with u = sqrt(2/pi) (x + 0.044715 x^3)

#include <cmath>

#include "etude/onednn/detail/onednn.h"
#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

constexpr double kSqrtHalf = 0.707106781186547524401, kInvSqrt2Pi = 0.398942280401432677940;
constexpr double kSqrt2OverPi = 0.797884560802865355880, kCubic = 0.044715;

double gelu_of(double v, bool by_tanh) {
  if (by_tanh) return 0.5 * v * (1 + std::tanh(kSqrt2OverPi * (v + kCubic * v * v * v)));
  return 0.5 * v * (1 + std::erf(v * kSqrtHalf));
}

double slope_of(double v, bool by_tanh) {
  if (!by_tanh) return 0.5 * (1 + std::erf(v * kSqrtHalf)) + v * (std::exp(-0.5 * v * v) * kInvSqrt2Pi);
  const double t = std::tanh(kSqrt2OverPi * (v + kCubic * v * v * v));
  return 0.5 * (1 + t) + 0.5 * v * (1 - t * t) * kSqrt2OverPi * (1 + 3 * kCubic * v * v);
}

// Of ops, so that it can be differentiated again.
Tensor slope(const Tensor& x, bool by_tanh) {
  if (!by_tanh) return (erf(x * kSqrtHalf) + 1) * 0.5 + x * (exp(x * x * -0.5) * kInvSqrt2Pi);
  const Tensor t = tanh((x + pow(x, 3) * kCubic) * kSqrt2OverPi);
  return (t + 1) * 0.5 + x * 0.5 * (1 - t * t) * ((x * x * (3 * kCubic) + 1) * kSqrt2OverPi);
}

bool suits_onednn(const Tensor& x) { return x.scalar_type() == kFloat && x.numel() >= onednn::kWorthwhile; }

Tensor forward(const Tensor& self, bool by_tanh) {
  if (!self.is_floating_point()) refuse_dtype("GeluKernelImpl", self.scalar_type());
  if (suits_onednn(self)) {
    const Tensor x = self.detach().contiguous();
    Tensor y = make_tensor(x.sizes(), kFloat);
    if (onednn::gelu(x.numel(), by_tanh, impl(x).data<float>(), impl(y).data<float>())) return y;
  }
  return function("GeluKernelImpl", self, {}, [by_tanh](double v) { return gelu_of(v, by_tanh); });
}

// Of ops if it may be differentiated again, else by a kernel.
Tensor backward(const Tensor& self, const Tensor& gradient, bool by_tanh) {
  if (recording({self, gradient})) return gradient * slope(self, by_tanh);
  if (suits_onednn(self)) {
    const Tensor x = self.contiguous(), dy = gradient.contiguous();
    Tensor dx = make_tensor(x.sizes(), kFloat);
    if (onednn::gelu_backward(x.numel(), by_tanh, impl(x).data<float>(), impl(dy).data<float>(),
                              impl(dx).data<float>()))
      return dx;
  }
  return zip_with(Floating{"GeluBackwardKernelImpl"}, self.scalar_type(), self, gradient, {},
                  [by_tanh](auto v, auto g) {
                    const double s = slope_of(static_cast<double>(v), by_tanh);
                    return static_cast<decltype(v)>(static_cast<double>(g) * s);
                  });
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
