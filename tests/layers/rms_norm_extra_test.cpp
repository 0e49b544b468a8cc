#include "etude/rms_norm.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/golden.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
using nn::RMSNorm;
using nn::RMSNormOptions;

TEST_SUITE("RMSNorm") {
  TEST_CASE("divides by the root of the mean of squares, computed by hand") {
    RMSNorm norm(RMSNormOptions({2, 3}).eps(0.01));
    NoGradGuard no_grad;
    norm->weight.copy_(golden::ramp({2, 3}));
    const Tensor x = golden::ramp({4, 2, 3}) * 5 + 1, y = norm(x);
    for (int64_t i = 0; i < 4; ++i) {
      double squares = 0;
      for (int64_t j = 0; j < 6; ++j) squares += std::pow(x[i].flatten()[j].item<double>(), 2) / 6;
      for (int64_t j = 0; j < 6; ++j)
        CHECK(y[i].flatten()[j].item<double>() ==
              doctest::Approx(x[i].flatten()[j].item<double>() / std::sqrt(squares + 0.01) *
                              norm->weight.flatten()[j].item<double>())
                  .epsilon(1e-5));
    }
  }

  TEST_CASE("is a function of the library, as in PyTorch 2, with a weight or none") {
    const Tensor x = arange(6, kDouble).view({2, 3}), weight = arange(1, 4, kDouble);
    const Tensor root = ((x * x).mean(1, true) + 1e-5).sqrt();
    CHECK(allclose(etude::rms_norm(x, {3}, weight, 1e-5), x / root * weight));
    CHECK(allclose(etude::rms_norm(x, {3}, nullopt, 1e-5), x / root));
    CHECK(etude::rms_norm(x, {2, 3}).equal(nn::functional::rms_norm(x, {2, 3}, Tensor())));
  }

  TEST_CASE("floats of 16 bits are computed in float32, so that squares do not become infinite") {
    for (const ScalarType type : {kHalf, kBFloat16}) {
      const Tensor x = (golden::ramp({3, 4}) * 300 + 300).to(type), weight = golden::ramp({4}).to(type);
      const Tensor y = etude::rms_norm(x.to(kFloat), {4}, nullopt, 1e-5).to(type);
      CHECK(equal(etude::rms_norm(x, {4}, nullopt, 1e-5), y));
      CHECK(equal(etude::rms_norm(x, {4}, weight, 1e-5), y * weight));
    }
  }

  TEST_CASE("without an eps takes that of the type, so that zeros stay zeros") {
    RMSNorm norm(std::vector<int64_t>{3});
    CHECK(same(norm(zeros({2, 3})).detach(), zeros({2, 3})));
    const Tensor tiny = full({1, 3}, 1e-4);
    CHECK(norm(tiny)[0][0].item<double>() ==
          doctest::Approx(1e-4 / std::sqrt(1e-8 + std::pow(2.0, -23))).epsilon(1e-5));
    norm->to(kDouble);
    CHECK(norm(tiny.to(kDouble))[0][0].item<double>() == doctest::Approx(1).epsilon(1e-5));
    CHECK(norm(zeros({0, 3}, kDouble)).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("has one parameter or none, prints like a layer norm, and is cloned whole") {
    RMSNorm norm(std::vector<int64_t>{3});
    CHECK(norm->named_parameters().keys() == std::vector<std::string>{"weight"});
    CHECK(same(norm->weight.detach(), ones({3})));
    CHECK(golden::text(*norm) == "RMSNorm((3,), eps=None, elementwise_affine=True)");
    RMSNorm plain(RMSNormOptions({2, 3}).eps(1e-6).elementwise_affine(false));
    CHECK(plain->parameters().empty());
    CHECK(golden::text(*plain) == "RMSNorm((2, 3), eps=1e-06, elementwise_affine=False)");
    const auto copy = std::dynamic_pointer_cast<nn::RMSNormImpl>(norm->clone());
    REQUIRE(copy);
    CHECK_FALSE(copy->weight.is_alias_of(norm->weight));
  }

  TEST_CASE("has the gradient and second gradient of finite differences") {
    const TensorFunction f = [](const auto& in) { return nn::functional::rms_norm(in[0], {3}, in[1], 0.1); };
    const std::vector<Tensor> inputs = {golden::ramp({2, 3}).to(kDouble), golden::ramp({3}).to(kDouble)};
    CHECK(gradcheck(f, inputs));
    CHECK(gradgradcheck(f, inputs));
  }

  TEST_CASE("refuses an input whose last dims are others") {
    CHECK(refusal([] {
            RMSNorm(std::vector<int64_t>{2, 3})(zeros({4, 3, 2}));
          }) ==
          "Error: Given normalized_shape=[2, 3], expected an input that ends with these sizes, but got input "
          "of "
          "size[4, 3, 2]");
    CHECK(refusal([] { nn::functional::rms_norm(zeros({3}), {3}, zeros({2})); }) ==
          "Error: Expected weight to be of same shape as normalized_shape, but got weight of shape [2] and "
          "normalized_shape = [3]");
  }
}
