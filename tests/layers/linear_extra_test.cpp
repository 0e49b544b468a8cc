// The initial values that Python draws for a seed, a layer without inputs, and the print of Linear.
#include "etude/linear.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Linear;
using nn::LinearOptions;

TEST_SUITE("Linear, beyond LibTorch") {
  TEST_CASE("has PyTorch's names, initial values, outputs and gradients for a seed") {
    for (const auto& row : golden::layers().at("linear")) {
      CAPTURE(row.at("bias").get<bool>());
      manual_seed(3);
      Linear fc(LinearOptions(5, 4).bias(row.at("bias").get<bool>()));
      const auto state = fc->state_dict();
      REQUIRE(state.size() == row.at("state").size());
      for (size_t i = 0; i < state.size(); ++i) {
        CHECK(state[i].key() == row.at("state")[i][0].get<std::string>());
        CHECK(golden::same(*state[i], row.at("state")[i][1]));
      }
      CHECK(etude::rand({1}).item<float>() == row.at("next").get<float>());

      const Tensor x = golden::ramp({2, 3, 5}).requires_grad_();
      const Tensor y = fc(x);
      CHECK(golden::close(y, row.at("y")));
      (y * golden::ramp({2, 3, 4})).sum().backward();
      CHECK(golden::close(x.grad(), row.at("dx")));
      for (const auto& grad : row.at("grads"))
        CHECK(golden::close(fc->named_parameters()[grad[0].get<std::string>()].grad(), grad[1]));
    }
  }

  TEST_CASE("can have no inputs; the bias is zero then") {
    Linear fc(0, 3);
    CHECK(fc->weight.sizes() == IntArrayRef({3, 0}));
    CHECK(fc->bias.equal(etude::zeros({3})));
  }

  TEST_CASE("prints its options") {
    CHECK(golden::text(Linear(LinearOptions(5, 4).bias(false))) ==
          "Linear(in_features=5, out_features=4, bias=False)");
  }
}
