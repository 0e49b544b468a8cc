#include "etude/nn/functional/activation.h"

#include <doctest/doctest.h>

#include "support/golden_losses.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional activations") {
  namespace {

  std::string kind(const F::ReLUFuncOptions&) { return "ReLU"; }
  std::string kind(const F::ReLU6FuncOptions&) { return "ReLU6"; }
  std::string kind(const F::SELUFuncOptions&) { return "SELU"; }
  std::string kind(const F::SoftmaxFuncOptions&) { return "Softmax"; }
  std::string kind(const F::LogSoftmaxFuncOptions&) { return "LogSoftmax"; }
  std::string kind(const F::SoftminFuncOptions&) { return "Softmin"; }

  const std::map<std::string, TensorFunction> functions = {
      {"selu", [](const auto& in) { return F::selu(in[0]); }},
      {"celu", [](const auto& in) { return F::celu(in[0]); }},
      {"celu 0.5", [](const auto& in) { return F::celu(in[0], F::CELUFuncOptions().alpha(0.5)); }},
      {"relu6", [](const auto& in) { return F::relu6(in[0]); }},
      {"leaky_relu", [](const auto& in) { return F::leaky_relu(in[0]); }},
      {"elu 0.7", [](const auto& in) { return F::elu(in[0], F::ELUFuncOptions().alpha(0.7)); }},
      {"prelu", [](const auto& in) { return F::prelu(in[0], in[1]); }},
      {"prelu channels", [](const auto& in) { return F::prelu(in[0], in[1]); }},
      {"hardtanh", [](const auto& in) { return F::hardtanh(in[0]); }},
      {"hardtanh -0.5 1.5",
       [](const auto& in) {
         return F::hardtanh(in[0], F::HardtanhFuncOptions().min_val(-0.5).max_val(1.5));
       }},
      {"hardshrink", [](const auto& in) { return F::hardshrink(in[0]); }},
      {"hardshrink 1", [](const auto& in) { return F::hardshrink(in[0], 1.0); }},
      {"softshrink", [](const auto& in) { return F::softshrink(in[0]); }},
      {"softshrink 1", [](const auto& in) { return F::softshrink(in[0], F::SoftshrinkFuncOptions(1.0)); }},
      {"tanhshrink", [](const auto& in) { return F::tanhshrink(in[0]); }},
      {"softsign", [](const auto& in) { return F::softsign(in[0]); }},
      {"softmin", [](const auto& in) { return F::softmin(in[0], 1); }},
      {"softplus", [](const auto& in) { return F::softplus(in[0]); }},
      {"softplus 2 1",
       [](const auto& in) { return F::softplus(in[0], F::SoftplusFuncOptions().beta(2).threshold(1)); }},
      {"threshold", [](const auto& in) { return F::threshold(in[0], F::ThresholdFuncOptions(0.5, -3)); }},
      {"logsigmoid", [](const auto& in) { return F::logsigmoid(in[0]); }},
      {"glu", [](const auto& in) { return F::glu(in[0]); }},
      {"glu 0", [](const auto& in) { return F::glu(in[0], 0); }},
      {"silu", [](const auto& in) { return F::silu(in[0]); }},
      {"mish", [](const auto& in) { return F::mish(in[0]); }},
  };

  }  // namespace

  TEST_CASE("have PyTorch's values, gradients, second gradients and graphs") {
    check_recorded("activations", functions);
  }

  TEST_CASE("write into their input only if they are told to") {
    const std::vector<std::pair<Tensor (*)(Tensor), Tensor (*)(Tensor)>> both = {
        {[](Tensor x) { return F::relu(x); }, [](Tensor x) { return F::relu(x, true); }},
        {[](Tensor x) { return F::relu6(x); }, [](Tensor x) { return F::relu6(x, true); }},
        {[](Tensor x) { return F::selu(x); }, [](Tensor x) { return F::selu(x, true); }},
        {[](Tensor x) { return F::celu(x); },
         [](Tensor x) { return F::celu(x, F::CELUFuncOptions().inplace(true)); }},
        {[](Tensor x) { return F::elu(x); },
         [](Tensor x) { return F::elu(x, F::ELUFuncOptions().inplace(true)); }},
        {[](Tensor x) { return F::leaky_relu(x); },
         [](Tensor x) { return F::leaky_relu(x, F::LeakyReLUFuncOptions().inplace(true)); }},
        {[](Tensor x) { return F::hardtanh(x); },
         [](Tensor x) { return F::hardtanh(x, F::HardtanhFuncOptions().inplace(true)); }},
        {[](Tensor x) {
           return F::threshold(x, {0.5, 2});
         },
         [](Tensor x) { return F::threshold(x, F::ThresholdFuncOptions(0.5, 2).inplace(true)); }},
    };
    for (size_t i = 0; i < both.size(); ++i) {
      CAPTURE(i);
      const Tensor x = etude::linspace(-8, 8, 9), kept = x.clone(), y = both[i].first(x);
      CHECK_FALSE(y.is_same(x));
      CHECK(same(x, kept));
      CHECK(both[i].second(x).is_same(x));
      CHECK(same(x, y));
    }
  }

  TEST_CASE("softmin and softmax convert first if they are given a type") {
    const Tensor x = etude::tensor({1.0, 2.0, 4.0});
    CHECK((F::softmin(x, F::SoftminFuncOptions(0).dtype(kDouble)).dtype() == kDouble));
    CHECK(same(F::softmin(x, 0), F::softmax(-x, 0)));
  }

  TEST_CASE("gumbel_softmax draws classes: one-hot if it is hard, with the gradient of the soft sample") {
    const Tensor logits = etude::tensor({{0.0, 1.0, 2.0}, {-1.0, 5.0, 0.5}}).requires_grad_();
    const Tensor soft = F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().tau(2));
    CHECK(allclose(soft.sum(-1), etude::ones({2})));
    const Tensor hard = F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().hard(true).dim(0));
    CHECK(allclose(hard.sum(0), etude::ones({3})));
    CHECK(allclose(hard.amax({0}), etude::ones({3})));
    CHECK(node_name(hard) == "AddBackward0");
    (hard * hard.detach()).sum().backward();
    CHECK(logits.grad().abs().sum().item<double>() > 0);
  }

  TEST_CASE("gumbel_softmax chooses each class as often as its probability says") {
    const Tensor p = etude::tensor({0.1, 0.2, 0.7});
    const Tensor drawn =
        F::gumbel_softmax(p.log().expand({20000, 3}).contiguous(), F::GumbelSoftmaxFuncOptions().hard(true));
    CHECK(allclose(drawn.mean(0), p, 0, 0.02));
  }

  TEST_CASE("have options that a program can tell apart") {
    CHECK(kind(F::ReLUFuncOptions(true).inplace(false)) == "ReLU");
    CHECK(kind(F::ReLU6FuncOptions(true).inplace(false)) == "ReLU6");
    CHECK(kind(F::SELUFuncOptions(true).inplace(false)) == "SELU");
    CHECK(kind(F::SoftmaxFuncOptions(1).dim(0)) == "Softmax");
    CHECK(kind(F::LogSoftmaxFuncOptions(1).dim(0)) == "LogSoftmax");
    CHECK(kind(F::SoftminFuncOptions(1).dim(0)) == "Softmin");
  }

  TEST_CASE("refuse what does not fit") {
    CHECK(refusal([] { F::glu(etude::ones({})); }) ==
          newer("Error: glu does not support scalars because halving size must be even",
                "Error: glu does not suppport scalars because halving size must be even"));
    CHECK(refusal([] { F::celu(etude::ones({2}), F::CELUFuncOptions().alpha(0)); }) ==
          "Error: ZeroDivisionError: alpha cannot be 0 for CELU");
    CHECK(refusal([] { F::softshrink(etude::ones({2}), -1.0); }) ==
          newer("Error: lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1",
                "Error: lambda must be greater or equal to 0, but found to be -1."));
  }
}
