#include "support/recipe.h"

#include <doctest/doctest.h>

#include <vector>

namespace {

using etude::Tensor;
using examples::warm_up_and_cosine;

TEST_SUITE("recipe") {
  TEST_CASE("the learning rate rises in a line and falls in a cosine to the floor") {
    CHECK(warm_up_and_cosine(0, 300, 99, 0.1) == doctest::Approx(0.01));
    CHECK(warm_up_and_cosine(49, 300, 99, 0.1) == doctest::Approx(0.5));
    CHECK(warm_up_and_cosine(99, 299, 99, 0.1) == doctest::Approx(1));
    CHECK(warm_up_and_cosine(199, 299, 99, 0.1) == doctest::Approx(0.55));
    CHECK(warm_up_and_cosine(299, 299, 99, 0.1) == doctest::Approx(0.1));
    CHECK(warm_up_and_cosine(1000, 299, 99, 0.1) == doctest::Approx(0.1));
    CHECK(warm_up_and_cosine(20, 20, 100, 0.1) == doctest::Approx(21.0 / 101));
  }

  TEST_CASE("matrices decay, and vectors do not") {
    std::vector<Tensor> weights = {etude::ones({2, 2}), etude::ones({3})};
    for (Tensor& weight : weights) {
      weight.requires_grad_();
      weight.mutable_grad() = etude::zeros_like(weight);
    }
    etude::optim::AdamW optimizer = examples::make_adamw(weights, 0.5, 0.1);
    optimizer.step();
    CHECK(weights[0].allclose(etude::full({2, 2}, 0.95)));
    CHECK(weights[1].equal(etude::ones({3})));
  }
}

}  // namespace
