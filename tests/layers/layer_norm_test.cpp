#include "etude/layer_norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::LayerNorm;
using nn::LayerNormOptions;

TEST_SUITE("LayerNorm") {
  TEST_CASE("centres and scales the last dims, computed by hand") {
    LayerNorm norm(LayerNormOptions({2, 3}).eps(0.01));
    NoGradGuard no_grad;
    norm->weight.copy_(golden::ramp({2, 3}));
    norm->bias.copy_(golden::ramp({2, 3}) * 3);
    const Tensor x = golden::ramp({4, 2, 3}) * 5 + 1, y = norm(x);
    for (int64_t i = 0; i < 4; ++i) {
      double mean = 0, variance = 0;
      for (int64_t j = 0; j < 6; ++j) mean += x[i].flatten()[j].item<double>() / 6;
      for (int64_t j = 0; j < 6; ++j) variance += std::pow(x[i].flatten()[j].item<double>() - mean, 2) / 6;
      for (int64_t j = 0; j < 6; ++j) {
        const double z = (x[i].flatten()[j].item<double>() - mean) / std::sqrt(variance + 0.01);
        const double w = norm->weight.flatten()[j].item<double>(), b = norm->bias.flatten()[j].item<double>();
        CHECK(y[i].flatten()[j].item<double>() == doctest::Approx(z * w + b).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("starts with ones and zeros, and draws nothing") {
    manual_seed(1);
    LayerNorm norm(std::vector<int64_t>{4});
    const double next = etude::rand({1}).item<double>();
    manual_seed(1);
    CHECK(etude::rand({1}).item<double>() == next);
    CHECK(etude::equal(norm->weight, etude::ones({4})));
    CHECK(etude::equal(norm->bias, etude::zeros({4})));
    CHECK(norm->named_parameters().keys() == std::vector<std::string>{"weight", "bias"});
  }

  TEST_CASE("without parameters it only centres and scales") {
    LayerNorm norm(LayerNormOptions({4}).elementwise_affine(false));
    CHECK(norm->parameters().empty());
    const Tensor y = norm(golden::ramp({3, 4}));
    CHECK(etude::allclose(y.mean(-1), etude::zeros({3}), 0, 1e-6));
    CHECK(etude::allclose(y.var(-1, false), etude::ones({3}), 1e-3));
  }

  TEST_CASE("a gradient reaches input and parameters") {
    LayerNorm norm(std::vector<int64_t>{3});
    norm->to(kDouble);
    const Tensor x = golden::ramp({2, 3}).to(kDouble);
    const auto f = [&](const std::vector<Tensor>& in) {
      return etude::nn::functional::layer_norm(
          in[0], etude::nn::functional::LayerNormFuncOptions({3}).weight(in[1]).bias(in[2]));
    };
    CHECK(gradcheck(f, {x, norm->weight, norm->bias}));
    (norm(x) * x).sum().backward();
    CHECK(norm->weight.grad().abs().sum().item<double>() > 0);
    CHECK(etude::allclose(norm->bias.grad(), x.sum(0)));
  }

  TEST_CASE("refuses an input whose last dims are others") {
    LayerNorm norm(std::vector<int64_t>{2, 3});
    CHECK(
        refusal([&] {
          norm(etude::zeros({4, 3, 2}));
        }) ==
        "Error: Given normalized_shape=[2, 3], expected input with shape [*, 2, 3], but got input of size[4, "
        "3, 2]");
  }

  TEST_CASE("a clone shares nothing") {
    LayerNorm norm(std::vector<int64_t>{3});
    const auto copy = std::dynamic_pointer_cast<nn::LayerNormImpl>(norm->clone());
    REQUIRE(copy);
    NoGradGuard no_grad;
    copy->weight.zero_();
    CHECK(etude::equal(norm->weight, etude::ones({3})));
  }
}
