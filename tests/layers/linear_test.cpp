#include "etude/linear.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::Linear;
using nn::LinearOptions;

TEST_SUITE("Linear") {
  TEST_CASE("has PyTorch's names, outputs and gradients") {
    for (const auto& row : golden::layers().at("linear")) {
      CAPTURE(row.at("bias").get<bool>());
      Linear fc(LinearOptions(5, 4).bias(row.at("bias").get<bool>()));
      const auto parameters = fc->named_parameters();
      REQUIRE(parameters.size() == row.at("state").size());
      for (size_t i = 0; i < parameters.size(); ++i) {
        NoGradGuard no_grad;
        CHECK(parameters[i].key() == row.at("state")[i][0].get<std::string>());
        CHECK(parameters[i]->sizes() == golden::tensor(row.at("state")[i][1]).sizes());
        parameters[i]->copy_(golden::tensor(row.at("state")[i][1]));
      }

      const Tensor x = golden::ramp({2, 3, 5}).requires_grad_();
      const Tensor y = fc(x);
      CHECK(golden::close(y, row.at("y")));
      (y * golden::ramp({2, 3, 4})).sum().backward();
      CHECK(golden::close(x.grad(), row.at("dx")));
      for (const auto& grad : row.at("grads"))
        CHECK(golden::close(fc->named_parameters()[grad[0].get<std::string>()].grad(), grad[1]));
    }
  }

  TEST_CASE("is a row of products for each output, computed by hand") {
    Linear fc(2, 3);
    NoGradGuard no_grad;
    fc->weight.copy_(etude::tensor({{1, 2}, {3, 4}, {5, 6}}));
    fc->bias.copy_(etude::tensor({10, 20, 30}));
    CHECK(fc(etude::tensor({1.0, -1.0})).equal(etude::tensor({9.0, 19.0, 29.0})));
    CHECK(fc(etude::zeros({0, 2})).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("draws from U(-1/sqrt(in), 1/sqrt(in))") {
    manual_seed(1);
    Linear fc(100, 300);
    for (const Tensor& p : fc->parameters()) {
      CHECK(p.abs().max().item<float>() <= 0.1f);
      CHECK(p.abs().max().item<float>() > 0.099f);
      CHECK(p.mean().item<float>() == doctest::Approx(0).epsilon(0.02));
    }
  }

  TEST_CASE("without bias there is no such parameter") {
    Linear fc(LinearOptions(5, 4).bias(false));
    CHECK_FALSE(fc->bias.defined());
    CHECK(fc->named_parameters().keys() == std::vector<std::string>{"weight"});
  }

  TEST_CASE("a clone computes the same and is trained alone") {
    Linear fc(3, 2);
    Linear copy = std::dynamic_pointer_cast<nn::LinearImpl>(fc->clone());
    const Tensor x = etude::ones({3});
    CHECK(fc(x).equal(copy(x)));
    nn::init::zeros_(copy->weight);
    CHECK_FALSE(fc(x).equal(copy(x)));
  }

  TEST_CASE("an input of another width is refused in PyTorch's words") {
    CHECK(refusal([&] {
            Linear(4, 3)(etude::ones({2, 3}));
          }).find("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x3)") != std::string::npos);
  }
}
