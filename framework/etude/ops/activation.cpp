// Activations, all elementwise except glu. Those without options are rows of a table. The others:
//
//   softplus    y = log(1 + e^(b x)) / b       dx = dy sigmoid(b x)
//   leaky_relu  y = x where x > 0, else a x    dx = dy, or a dy
//   elu         y = c x where x > 0, else      dx = c dy, or c a k e^(k x) dy
//               c a (e^(k x) - 1)
//   selu        elu with c = 1.0507... and a = 1.6732...
//   celu        elu with k = 1 / a
//   glu         y = a s, where a and b are     da = dy s,  db = dy a s (1 - s)
//               the halves of x, s = sigmoid(b)
//   prelu       y = x where x > 0, else w x    dx = dy, or w dy;  dw = sum of dy x over its elements where not x > 0
//               with a w for all elements or for each channel

#include <algorithm>
#include <cmath>

#include "etude/ops/detail/elementwise.h"
#include "etude/ops/detail/function.h"

namespace etude {
namespace {

using namespace detail;

// A nan stays a nan.
Tensor relu_forward(const Tensor& x, const Tensor& out = {}) {
  ETUDE_CHECK_WITH(NotImplementedError, x.scalar_type() != kBool, "Boolean inputs not supported for relu");
  return map_with(Numbers{"relu"}, x, out, [](auto v) { return v < 0 ? decltype(v)(0) : v; });
}

// A function that accepts only floating tensors.
template <typename F>
Tensor of_floating(const char* name, const Tensor& x, const Tensor& out, const F& f) {
  if (!x.is_floating_point()) refuse_dtype(name, x.scalar_type());
  return function(name, x, out, f);
}

// The number, rounded to float32 if x has this type.
double beside(const Tensor& x, const Scalar& number) {
  return x.scalar_type() == kFloat ? static_cast<double>(number.toFloat()) : number.toDouble();
}

Tensor silu_forward(const Tensor& x, const Tensor& out = {}) {
  return of_floating("silu_cpu", x, out, [](double v, auto math) { return v / (1 + math.exp(-v)); });
}

Tensor silu_slope(const Tensor& x) {
  const Tensor s = sigmoid(x);
  return s * (x * (1 - s) + 1);
}

Tensor mish_forward(const Tensor& x, const Tensor& out = {}) {
  return of_floating("mish_cpu", x, out,
                     [](double v, auto math) { return v * math.tanh(math.log1p(math.exp(v))); });
}

Tensor mish_slope(const Tensor& x) {
  const Tensor t = tanh(softplus(x));
  return t + x * (1 - t * t) * sigmoid(x);
}

Tensor log_sigmoid_forward(const Tensor& x) {
  return of_floating("log_sigmoid_cpu", x.detach().contiguous(), {}, [](double v, auto math) {
    return std::min(v, 0.0) - math.log1p(math.exp(-std::fabs(v)));
  });
}

Tensor leaky_relu_forward(const Tensor& x, const Scalar& slope, const Tensor& out = {}) {
  return of_floating("leaky_relu_cpu", x, out,
                     [a = beside(x, slope)](double v, auto) { return v > 0 ? v : v * a; });
}

Tensor leaky_relu_recorded(const char* name, const Tensor& self, const Scalar& slope) {
  return recorded_by_x(
      name, self, leaky_relu_forward(self, slope),
      [slope](const Tensor& dy, const Tensor& x) { return constant_in(x, where(x.gt(0), dy, dy * slope)); });
}

struct Elu {
  Scalar alpha, scale, input_scale;
};

// c a (e^(k x) - 1) for x <= 0.
Tensor elu_forward(const Tensor& x, const Elu& e, const Tensor& out = {}) {
  const double left = beside(x, e.alpha) * beside(x, e.scale), right = beside(x, e.scale),
               inner = beside(x, e.input_scale);
  return of_floating("elu_cpu", x, out,
                     [=](double v, auto math) { return v <= 0 ? math.expm1(v * inner) * left : v * right; });
}

const Elu selu_elu{1.6732632423543772848170429916717, 1.0507009873554804934193349852946, 1};

Elu celu_elu(const Scalar& alpha) {
  ETUDE_CHECK(alpha.toDouble() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return {alpha, 1, 1 / alpha.toDouble()};
}

Tensor elu_recorded(const char* name, const Tensor& self, const Elu& e) {
  return recorded_by_x(name, self, elu_forward(self, e), [e](const Tensor& dy, const Tensor& x) {
    // The exponential may be infinite where its branch is not taken. At zero the second derivative is zero.
    const Tensor power = exp(x.masked_fill(x.lt(0).logical_not(), 0) * e.input_scale);
    const double left = e.alpha.toDouble() * e.scale.toDouble() * e.input_scale.toDouble();
    return where(x.le(0), dy * (power * left), dy * e.scale);
  });
}

// elu in place, recorded under the node name of the in-place form.
Tensor& elu_in_place(const char* name, Tensor& self, const Elu& e) {
  return in_place(
      self, {}, [&](const Tensor& x) { return elu_recorded(name, x, e); },
      [&] { elu_forward(self, e, self); });
}

void check_weight(const Tensor& self, const Tensor& weight) {
  ETUDE_CHECK(self.scalar_type() == weight.scalar_type(), "prelu: Type promoting not supported. Got ",
              toString(self.scalar_type()), " and ", toString(weight.scalar_type()));
  if (weight.numel() != 1) {
    ETUDE_CHECK(self.dim() > 0, "Not allow zero-dim input tensor.");
    const int64_t channels = self.dim() > 1 ? self.size(1) : 1;
    ETUDE_CHECK(weight.numel() == channels,
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = ",
                weight.numel(), " and channel size = ", channels, ".",
                "\nhint: the channels are dim 1; one weight serves all of them");
  }
  ETUDE_CHECK(weight.dim() <= 1,
              "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = ", weight.dim());
}

// The sum over all dims except the channels.
Tensor per_channel(const Tensor& t, const Shape& weight_sizes, int64_t weights) {
  if (weights == 1) return t.sum().view(weight_sizes);
  std::vector<int64_t> others;
  for (int64_t d = 0; d < t.dim(); ++d)
    if (d != 1) others.push_back(d);
  return t.sum(others);
}

}  // namespace

// clang-format off
ETUDE_FUNCTION(sigmoid, 1 / (1 + math.exp(-x)), "SigmoidBackward0", y, dy * ((1 - y) * y))
ETUDE_FUNCTION(tanh,    math.tanh(x),           "TanhBackward0",    y, dy * (1 - y * y))
ETUDE_RECORDED(relu,        "ReluBackward0",       y, constant_in(y, where(y.le(0), 0.0, dy)))
ETUDE_RECORDED(silu,        "SiluBackward0",       x, dy * silu_slope(x))
ETUDE_RECORDED(mish,        "MishBackward0",       x, dy * mish_slope(x))
ETUDE_RECORDED(log_sigmoid, "LogSigmoidBackward0", x, dy * sigmoid(-x))
// clang-format on
ETUDE_UNARY_METHODS(relu)

Tensor softplus(const Tensor& self, const Scalar& beta, const Scalar& threshold) {
  ETUDE_OP(softplus, self, beta, threshold);
  const double b = beside(self, beta), most = beside(self, threshold);
  const Tensor y = of_floating("softplus_cpu", self, {}, [=](double v, auto math) {
    const double t = v * b, soft = std::max(t, 0.0) + math.log1p(math.exp(-std::fabs(t)));
    return t > most ? v : soft / b;
  });
  return recorded_by_x("SoftplusBackward0", self, y, [beta, threshold](const Tensor& dy, const Tensor& x) {
    const Tensor scaled = x * beta;
    return where(scaled.gt(threshold), dy, dy * sigmoid(scaled));
  });
}

Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope) {
  ETUDE_OP(leaky_relu, self, negative_slope);
  return leaky_relu_recorded("LeakyReluBackward0", self, negative_slope);
}

Tensor elu(const Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  ETUDE_OP(elu, self, alpha, scale, input_scale);
  return elu_recorded("EluBackward0", self, {alpha, scale, input_scale});
}

Tensor selu(const Tensor& self) {
  ETUDE_OP(selu, self);
  return elu_recorded("EluBackward0", self, selu_elu);
}

Tensor celu(const Tensor& self, const Scalar& alpha) {
  ETUDE_OP(celu, self, alpha);
  return elu_recorded("CeluBackward0", self, celu_elu(alpha));
}

Tensor& relu_(Tensor& self) { return self.relu_(); }

Tensor& silu_(Tensor& self) {
  ETUDE_OP(silu_, self);
  return in_place_form(silu, silu_forward, self);
}

Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope) {
  ETUDE_OP(leaky_relu_, self, negative_slope);
  return in_place(
      self, {}, [&](const Tensor& x) { return leaky_relu_recorded("LeakyReluBackward1", x, negative_slope); },
      [&] { leaky_relu_forward(self, negative_slope, self); });
}

Tensor& elu_(Tensor& self, const Scalar& alpha, const Scalar& scale, const Scalar& input_scale) {
  ETUDE_OP(elu_, self, alpha, scale, input_scale);
  return elu_in_place("EluBackward1", self, {alpha, scale, input_scale});
}

Tensor& selu_(Tensor& self) {
  ETUDE_OP(selu_, self);
  return elu_in_place("EluBackward1", self, selu_elu);
}

Tensor& celu_(Tensor& self, const Scalar& alpha) {
  ETUDE_OP(celu_, self, alpha);
  return elu_in_place("CeluBackward1", self, celu_elu(alpha));
}

Tensor& mish_(Tensor& self) {
  ETUDE_OP(mish_, self);
  return in_place_form(mish, mish_forward, self);
}

Tensor glu(const Tensor& self, int64_t dim) {
  ETUDE_OP(glu, self, dim);
  ETUDE_CHECK(self.dim() > 0, "glu does not support 0-dimensional tensors");
  const int64_t d = wrap_dim(dim, self.dim()), size = self.size(d), half = size / 2;
  ETUDE_CHECK(size % 2 == 0, "Halving dimension must be even, but dimension ", d, " is size ", size);
  const Tensor y = unrecorded([&] {
    const Tensor left = self.narrow(d, 0, half), right = self.narrow(d, half, half);
    return zip_with(Floating{"glu_cpu"}, self.scalar_type(), left, right, {}, [](auto a, auto b) {
      return static_cast<decltype(a)>(static_cast<double>(a) / (1 + std::exp(-static_cast<double>(b))));
    });
  });
  return recorded("GluBackward0", {self}, y, {self}, [d, half](const Tensor& dy, const Tensor& v) {
    const Tensor a = v.narrow(d, 0, half), s = sigmoid(v.narrow(d, half, half));
    return cat({dy * s, dy * a * (s * (1 - s))}, d);
  });
}

Tensor prelu(const Tensor& self, const Tensor& weight) {
  ETUDE_OP(prelu, self, weight);
  check_weight(self, weight);
  const Tensor y = unrecorded([&] {
    return zip_with(Floating{"prelu_cpu"}, self.scalar_type(), self, seen_along(weight, self.dim(), 1), {},
                    [](auto x, auto w) { return x > 0 ? x : w * x; });
  });
  return recorded("PreluKernelBackward0", {self, weight}, y, {self, weight},
                  [on_x = needs_grad(self), on_w = needs_grad(weight)](const Tensor& dy, const Tensor& v,
                                                                       const Tensor& slope) {
                    const Tensor positive = v.gt(0);
                    Gradients g(2);
                    if (on_x) g[0] = constant_in(v, where(positive, dy, seen_along(slope, v.dim(), 1) * dy));
                    if (on_w)
                      g[1] = constant_in(slope, per_channel((v * dy).masked_fill(positive, 0),
                                                            Shape(slope.sizes()), slope.numel()));
                    return g;
                  });
}

Tensor Tensor::prelu(const Tensor& weight) const { return etude::prelu(*this, weight); }

}  // namespace etude
