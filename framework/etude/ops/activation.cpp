// Activations, element by element:
//
//   sigmoid  y = 1 / (1 + e^-x)                dx = dy y (1 - y)
//   tanh                                       dx = dy (1 - y^2)
//   relu     y = max(x, 0)                     dx = dy where y > 0
//   gelu     y = x Phi(x)                      dx = dy (Phi(x) + x phi(x)), Phi and phi the normal
//   distribution and its density gelu     y = x (1 + tanh u) / 2            with u = sqrt(2/pi) (x + 0.044715
//   x^3), for approximate = "tanh"

#include <cmath>

#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using autograd::record;
using autograd::recording;
using autograd::Saved;
using detail::function;

constexpr double kSqrtHalf = 0.707106781186547524401, kInvSqrt2Pi = 0.398942280401432677940;
constexpr double kSqrt2OverPi = 0.797884560802865355880, kCubic = 0.044715;

Tensor sigmoid_forward(const Tensor& x, const Tensor& out = {}) {
  return function("sigmoid", x, out, [](double v) { return 1 / (1 + std::exp(-v)); });
}

Tensor tanh_forward(const Tensor& x, const Tensor& out = {}) {
  return function("tanh", x, out, [](double v) { return std::tanh(v); });
}

// nan stays nan.
Tensor relu_forward(const Tensor& x, const Tensor& out = {}) {
  ETUDE_CHECK(x.scalar_type() != kBool, "Boolean inputs not supported for relu");
  return detail::map_with([](ScalarType t, auto f) { detail::dispatch_numbers("relu", t, f); }, x, out,
                          [](auto v) { return v < 0 ? decltype(v)(0) : v; });
}

Tensor gelu_forward(const Tensor& x, bool by_tanh) {
  if (!isFloatingType(x.scalar_type()))
    throw Error(str("\"GeluKernelImpl\" not implemented for '", toString(x.scalar_type()), "'"));
  if (by_tanh)
    return function("GeluKernelImpl", x, {}, [](double v) {
      return 0.5 * v * (1 + std::tanh(kSqrt2OverPi * (v + kCubic * v * v * v)));
    });
  return function("GeluKernelImpl", x, {}, [](double v) { return 0.5 * v * (1 + std::erf(v * kSqrtHalf)); });
}

// The slope of gelu, of ops, so that it can be differentiated again.
Tensor gelu_slope(const Tensor& x, bool by_tanh) {
  if (!by_tanh) return (erf(x * kSqrtHalf) + 1) * 0.5 + x * (exp(x * x * -0.5) * kInvSqrt2Pi);
  const Tensor t = tanh((x + pow(x, 3) * kCubic) * kSqrt2OverPi);
  return (t + 1) * 0.5 + x * 0.5 * (1 - t * t) * ((x * x * (3 * kCubic) + 1) * kSqrt2OverPi);
}

}  // namespace

Tensor sigmoid(const Tensor& self) {
  Tensor y = sigmoid_forward(self);
  if (!recording({self})) return y;
  return record("SigmoidBackward0", {self}, y, [y = Saved::output(y)](const Tensor& dy) {
    const Tensor s = y.get();
    return dy * ((1 - s) * s);
  });
}

Tensor tanh(const Tensor& self) {
  Tensor y = tanh_forward(self);
  if (!recording({self})) return y;
  return record("TanhBackward0", {self}, y, [y = Saved::output(y)](const Tensor& dy) {
    const Tensor t = y.get();
    return dy * (1 - t * t);
  });
}

Tensor relu(const Tensor& self) {
  Tensor y = relu_forward(self);
  if (!recording({self})) return y;
  return record("ReluBackward0", {self}, y,
                [y = Saved::output(y)](const Tensor& dy) { return where(y.get().le(0), 0.0, dy); });
}

Tensor& relu_(Tensor& self) { return self.relu_(); }

Tensor gelu(const Tensor& self, const std::string& approximate) {
  ETUDE_CHECK(approximate == "none" || approximate == "tanh",
              "approximate argument must be either none or tanh.\nreceived '", approximate, "'");
  const bool by_tanh = approximate == "tanh";
  Tensor y = gelu_forward(self, by_tanh);
  if (!recording({self})) return y;
  return record("GeluBackward0", {self}, y,
                [x = Saved(self), by_tanh](const Tensor& dy) { return dy * gelu_slope(x.get(), by_tanh); });
}

ETUDE_UNARY_METHODS(sigmoid)
ETUDE_UNARY_METHODS(tanh)
ETUDE_UNARY_METHODS(relu)

}  // namespace etude
