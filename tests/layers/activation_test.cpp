#include "etude/activation.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/golden.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Activations") {
  namespace {

  // Checks a module on [-4, 4] against a formula in double, and that gradients pass.
  template <typename Holder>
  void check_formula(Holder module, const AnyFunction<double(double)>& formula, double tolerance = 1e-6) {
    const Tensor x = etude::linspace(-4, 4, 33).requires_grad_();
    const Tensor y = module(x);
    for (int64_t i = 0; i < x.numel(); ++i) {
      CAPTURE(i);
      CHECK(y[i].template item<double>() ==
            doctest::Approx(formula(x[i].template item<double>())).epsilon(tolerance));
    }
    y.sum().backward();
    CHECK(x.grad().abs().sum().template item<float>() > 0);
  }

  std::string kind(const SoftmaxOptions&) { return "Softmax"; }
  std::string kind(const LogSoftmaxOptions&) { return "LogSoftmax"; }
  std::string kind(const SoftminOptions&) { return "Softmin"; }

  constexpr double kPi = 3.14159265358979323846;

  }  // namespace

  TEST_CASE("ReLU is the larger of x and 0") {
    check_formula(ReLU(), [](double x) { return std::max(x, 0.0); });
  }

  TEST_CASE("ReLU writes into its input if told to") {
    const Tensor x = etude::tensor({-1.0, 2.0});
    CHECK(ReLU(/*inplace=*/true)(x).is_same(x));
    CHECK(x.equal(etude::tensor({0.0, 2.0})));
  }

  TEST_CASE("GELU is x times the share of a normal variable below x") {
    check_formula(
        GELU(), [](double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }, 1e-5);
  }

  TEST_CASE("GELU of GPT-2 takes a tanh instead") {
    check_formula(
        GELU(GELUOptions().approximate("tanh")),
        [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x))); },
        1e-5);
  }

  TEST_CASE("Tanh and Sigmoid are their formulas") {
    check_formula(Tanh(), [](double x) { return std::tanh(x); });
    check_formula(Sigmoid(), [](double x) { return 1 / (1 + std::exp(-x)); });
  }

  TEST_CASE("SiLU, Mish, LogSigmoid, Softsign and Softplus are their formulas") {
    check_formula(SiLU(), [](double x) { return x / (1 + std::exp(-x)); });
    check_formula(Mish(), [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
    check_formula(LogSigmoid(), [](double x) { return -std::log1p(std::exp(-x)); });
    check_formula(Softsign(), [](double x) { return x / (1 + std::fabs(x)); });
    check_formula(Softplus(), [](double x) { return std::log1p(std::exp(x)); });
    check_formula(Softplus(SoftplusOptions().beta(2).threshold(3)),
                  [](double x) { return 2 * x > 3 ? x : std::log1p(std::exp(2 * x)) / 2; });
  }

  TEST_CASE("GLU gates one half with the other") {
    const Tensor x = golden::ramp({4, 6});
    CHECK(GLU()(x).allclose(x.narrow(1, 0, 3) * x.narrow(1, 3, 3).sigmoid()));
    CHECK(GLU(0)(x).allclose(x.narrow(0, 0, 2) * x.narrow(0, 2, 2).sigmoid()));
    CHECK(refusal([&] {
            GLU(0)(x.narrow(0, 0, 3));
          }) == "Error: Halving dimension must be even, but dimension 0 is size 3");
  }

  TEST_CASE("Softmin is the softmax of what is turned around") {
    const Tensor x = golden::ramp({3, 5});
    CHECK(Softmin(0)(x).equal(Softmax(0)(-x)));
    CHECK(Softmin(SoftminOptions(1))(x).equal(Softmax(1)(-x)));
  }

  TEST_CASE("Softmax sums to one along its dim, and LogSoftmax is its logarithm") {
    const Tensor x = golden::ramp({3, 5});
    for (const int64_t dim : {0, 1, -1}) {
      CAPTURE(dim);
      const Tensor expected = x.exp() / x.exp().sum(dim, /*keepdim=*/true);
      CHECK(Softmax(dim)(x).allclose(expected, 1e-5, 1e-7));
      CHECK(LogSoftmax(dim)(x).allclose(expected.log(), 1e-5, 1e-6));
    }
    CHECK(refusal([&] { Softmax(2)(x); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }

  TEST_CASE("have options that a program can tell apart") {
    CHECK(kind(SoftmaxOptions(1).dim(0)) == "Softmax");
    CHECK(kind(LogSoftmaxOptions(1).dim(0)) == "LogSoftmax");
    CHECK(kind(SoftminOptions(1).dim(0)) == "Softmin");
  }

  TEST_CASE("have no parameters and can be cloned") {
    for (const std::shared_ptr<Module>& module :
         std::vector<std::shared_ptr<Module>>{ReLU().ptr(), GELU().ptr(), Tanh().ptr(), Sigmoid().ptr(),
                                              Softmax(1).ptr(), LogSoftmax(1).ptr()}) {
      CHECK(module->parameters().empty());
      CHECK(module->buffers().empty());
      CHECK(module->clone()->name() == module->name());
    }
  }
}
