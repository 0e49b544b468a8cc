#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/function_of_one.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("activations") {
  namespace {

  const double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::nan("");

  // f of each element, in float64.
  template <typename Formula>
  Tensor each(const Tensor& x, Formula formula) {
    const Tensor y = x.to(kDouble).contiguous().clone();
    double* v = y.data_ptr<double>();
    for (int64_t i = 0; i < y.numel(); ++i) v[i] = formula(v[i]);
    return y;
  }

  Tensor samples() { return etude::linspace(-3.3, 3.1, 12, kDouble).view({3, 4}).t(); }

  const std::vector<FunctionOfOne> plain = {
      {"tanh", tanh, [](double x) { return std::tanh(x); }, -2, 2},
      {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, 3},
      {"relu", relu, [](double x) { return x < 0 ? 0 : x; }, 0.1, 2},
  };

  }  // namespace

  TEST_CASE("tanh, sigmoid and relu are the C library's, on views, in double and in float") {
    for (const FunctionOfOne& f : plain) check_values(f);
  }

  TEST_CASE("tanh, sigmoid and relu have the gradient and second gradient of finite differences") {
    for (const FunctionOfOne& f : plain) check_gradient(f);
  }

  TEST_CASE("tanh, sigmoid and relu take empty and 0-dim tensors") {
    for (const FunctionOfOne& f : plain) check_edges(f);
  }

  TEST_CASE("follow their formulas, on views, in double and in float") {
    auto check = [](const AnyFunction<Tensor(const Tensor&)>& op, double (*formula)(double)) {
      const Tensor x = samples(), single = x.to(kFloat);
      CHECK(allclose(op(x), each(x, formula), 1e-14, 1e-15));
      CHECK(allclose(op(single), each(single, formula).to(kFloat), 1e-6, 1e-7));
    };
    check([](const Tensor& x) { return leaky_relu(x, 0.25); }, [](double v) { return v > 0 ? v : 0.25 * v; });
    check([](const Tensor& x) { return leaky_relu(x, -2); }, [](double v) { return v > 0 ? v : -2 * v; });
    check(silu, [](double v) { return v / (1 + std::exp(-v)); });
    check([](const Tensor& x) { return elu(x); }, [](double v) { return v > 0 ? v : std::expm1(v); });
    check([](const Tensor& x) { return elu(x, 0.5, 2, 4); },
          [](double v) { return v > 0 ? 2 * v : std::expm1(v * 4); });
    check(selu,
          [](double v) { return 1.0507009873554805 * (v > 0 ? v : 1.6732632423543772 * std::expm1(v)); });
    check([](const Tensor& x) { return celu(x); }, [](double v) { return v > 0 ? v : std::expm1(v); });
    check([](const Tensor& x) { return celu(x, 0.5); },
          [](double v) { return v > 0 ? v : 0.5 * std::expm1(v * 2); });
    check(mish, [](double v) { return v * std::tanh(std::log1p(std::exp(v))); });
    check(log_sigmoid, [](double v) { return -std::log1p(std::exp(-v)); });
    check([](const Tensor& x) { return softplus(x); }, [](double v) { return std::log1p(std::exp(v)); });
    check([](const Tensor& x) { return softplus(x, 2, 3); },
          [](double v) { return v * 2 > 3 ? v : std::log1p(std::exp(v * 2)) / 2; });
  }

  TEST_CASE("have PyTorch's defaults, and values at zero, nan and infinity") {
    const Tensor x = etude::tensor({kNan, -kInfinity, kInfinity, 0.0, 30.0, -1.0});
    CHECK(same(leaky_relu(x), etude::tensor({kNan, -kInfinity, kInfinity, 0.0, 30.0, -0.01})));
    CHECK(same(elu(x), etude::tensor({kNan, -1.0, kInfinity, 0.0, 30.0, std::expm1(-1.0)})));
    CHECK(same(silu(x).slice(0, 2, 4), etude::tensor({kInfinity, 0.0})));
    CHECK(silu(x).slice(0, 0, 2).isnan().all().item<bool>());
    CHECK(same(softplus(x),
               etude::tensor({kNan, 0.0, kInfinity, std::log(2.0), 30.0, std::log1p(std::exp(-1.0))})));
    CHECK(same(log_sigmoid(etude::tensor({kNan, -kInfinity, kInfinity, 0.0, -1000.0, 1000.0})),
               etude::tensor({kNan, -kInfinity, 0.0, -std::log(2.0), -1000.0, 0.0})));
    CHECK(same(mish(etude::tensor({kNan, -kInfinity, kInfinity, 0.0, -1000.0, 1000.0})),
               etude::tensor({kNan, kNan, kInfinity, 0.0, 0.0, 1000.0})));
    const double scale = 1.0507009873554805, alpha = 1.6732632423543772;
    CHECK(allclose(
        selu(x),
        etude::tensor({kNan, -scale * alpha, kInfinity, 0.0, scale * 30, scale * alpha * std::expm1(-1.0)}),
        1e-6, 0, /*equal_nan=*/true));
    CHECK(same(celu(x, 2), etude::tensor({kNan, -2.0, kInfinity, 0.0, 30.0, 2 * std::expm1(-0.5)})));
    CHECK(silu(etude::tensor(0.)).sizes() == IntArrayRef());
    CHECK(mish(etude::zeros({0, 3})).sizes() == IntArrayRef({0, 3}));
    CHECK(log_sigmoid(etude::tensor(0.)).sizes() == IntArrayRef());
    CHECK(softplus(etude::zeros({0, 3})).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("have the gradient and second gradient of finite differences, in place too") {
    const Tensor x = samples();
    const std::vector<TensorFunction> functions = {[](const auto& in) { return leaky_relu(in[0], 0.3); },
                                                   [](const auto& in) { return silu(in[0]); },
                                                   [](const auto& in) { return elu(in[0], 0.7, 1.5, 0.6); },
                                                   [](const auto& in) { return softplus(in[0], 1.5, 2); },
                                                   [](const auto& in) { return selu(in[0]); },
                                                   [](const auto& in) { return celu(in[0], 0.6); },
                                                   [](const auto& in) { return mish(in[0]); },
                                                   [](const auto& in) { return log_sigmoid(in[0]); },
                                                   [](const auto& in) {
                                                     Tensor y = in[0] * 2;
                                                     return selu_(y);
                                                   },
                                                   [](const auto& in) {
                                                     Tensor y = in[0] * 2;
                                                     mish_(y);
                                                     return celu_(y, 0.5);
                                                   },
                                                   [](const auto& in) {
                                                     Tensor y = in[0] * 2;
                                                     return leaky_relu_(y, 0.3);
                                                   },
                                                   [](const auto& in) {
                                                     Tensor y = in[0] * 2;
                                                     silu_(y);
                                                     return elu_(y, 0.7);
                                                   }};
    for (const TensorFunction& f : functions) {
      CHECK(gradcheck(f, {x}));
      CHECK(gradgradcheck(f, {x}));
    }
  }

  TEST_CASE("gradients are PyTorch's at zero, and finite where an exponential is not") {
    const Tensor x = etude::tensor({0.0, 1000.0, -1000.0}).requires_grad_();
    auto gradient = [&](const Tensor& y) { return autograd::grad({y.sum()}, {x})[0]; };
    CHECK(same(gradient(leaky_relu(x, 0.5)), etude::tensor({0.5, 1.0, 0.5})));
    CHECK(same(gradient(elu(x, 2)), etude::tensor({2.0, 1.0, 0.0})));
    CHECK(same(gradient(softplus(x)), etude::tensor({0.5, 1.0, 0.0})));
    CHECK(same(gradient(silu(x)), etude::tensor({0.5, 1.0, 0.0})));
    CHECK(same(gradient(mish(x)), etude::tensor({std::tanh(std::log(2.0)), 1.0, 0.0})));
    CHECK(same(gradient(log_sigmoid(x)), etude::tensor({0.5, 0.0, 1.0})));
    CHECK(same(gradient(celu(x, 2)), etude::tensor({1.0, 1.0, 0.0})));
    const Tensor slope = autograd::grad({elu(x, 2).sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(same(gradient(slope), etude::tensor({0.0, 0.0, 0.0})));
  }

  TEST_CASE("a slope that does not change is still a function of the input") {
    const Tensor x = etude::tensor({-3.0, 0.0, 2.0, kInfinity, kNan}).requires_grad_();
    const Tensor slope =
        autograd::grad({leaky_relu(x, 0.5).sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(same(slope, etude::tensor({0.5, 0.5, 1.0, 1.0, 0.5})));
    CHECK(slope.requires_grad());
    CHECK(same(autograd::grad({slope.sum()}, {x})[0], etude::zeros({5})));
    const Tensor step = autograd::grad({relu(x).sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(same(step, etude::tensor({0.0, 0.0, 1.0, 1.0, 1.0})));
    CHECK(same(autograd::grad({step.sum()}, {x})[0], etude::zeros({5})));
  }

  TEST_CASE("in place write into their tensor and have nodes of PyTorch's names") {
    Tensor x = etude::tensor({-1.0, 2.0});
    CHECK(leaky_relu_(x, 0.5).is_same(x));
    CHECK(same(x, etude::tensor({-0.5, 2.0})));
    CHECK(same(elu_(x), elu(etude::tensor({-0.5, 2.0}))));
    CHECK(silu_(x).is_same(x));
    const Tensor leaf = etude::tensor({-1.0, 2.0}).requires_grad_();
    Tensor a = leaf * 1, b = leaf * 1, c = leaf * 1, d = leaf * 1, e = leaf * 1, f = leaf * 1;
    CHECK(node_name(leaky_relu_(a)) == "LeakyReluBackward1");
    CHECK(node_name(elu_(b)) == "EluBackward1");
    CHECK(node_name(silu_(c)) == "SiluBackward0");
    CHECK(node_name(selu_(d)) == "EluBackward1");
    CHECK(node_name(celu_(e)) == "CeluBackward1");
    CHECK(node_name(mish_(f)) == "MishBackward0");
  }

  TEST_CASE("nn::functional has them with their options") {
    const Tensor x = samples();
    CHECK(same(F::leaky_relu(x), leaky_relu(x, 0.01)));
    CHECK(same(F::leaky_relu(x, F::LeakyReLUFuncOptions().negative_slope(0.2)), leaky_relu(x, 0.2)));
    CHECK(same(F::silu(x), silu(x)));
    CHECK(same(F::elu(x, F::ELUFuncOptions().alpha(0.4)), elu(x, 0.4)));
    CHECK(same(F::softplus(x, F::SoftplusFuncOptions().beta(0.5).threshold(1)), softplus(x, 0.5, 1)));
    const Tensor y = x.clone(), z = x.clone();
    CHECK(F::leaky_relu(y, F::LeakyReLUFuncOptions().inplace(true)).is_same(y));
    CHECK(same(y, leaky_relu(x)));
    CHECK(F::elu(z, F::ELUFuncOptions().inplace(true)).is_same(z));
  }

  TEST_CASE("refuse what is not floating") {
    CHECK(refusal([] { leaky_relu(etude::arange(2)); }) ==
          "Error: \"leaky_relu_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { silu(etude::arange(2)); }) == "Error: \"silu_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { elu(etude::tensor({true})); }) == "Error: \"elu_cpu\" not implemented for 'Bool'");
    CHECK(refusal([] { softplus(etude::arange(2)); }) ==
          "Error: \"softplus_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { selu(etude::arange(2)); }) == "Error: \"elu_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { mish(etude::arange(2)); }) == "Error: \"mish_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { log_sigmoid(etude::arange(2)); }) ==
          "Error: \"log_sigmoid_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { celu(etude::ones({2}), 0); }) ==
          "Error: ZeroDivisionError: alpha cannot be 0 for CELU");
  }

  TEST_CASE("log_sigmoid gives a contiguous tensor, the others keep the order") {
    const Tensor x = etude::randn({3, 4}).t();
    CHECK(log_sigmoid(x).is_contiguous());
    CHECK(silu(x).strides() == x.strides());
  }
}
