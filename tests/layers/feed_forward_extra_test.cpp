#include "etude/feed_forward.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("FeedForward") {
  TEST_CASE("is two products with a function between them, computed by hand") {
    FeedForward layer(FeedForwardOptions(2, 3).dropout(0));
    NoGradGuard no_grad;
    layer->linear1->weight.copy_(etude::tensor({{1, 0}, {0, 1}, {1, 1}}));
    layer->linear1->bias.copy_(etude::tensor({0, 0, -4}));
    layer->linear2->weight.copy_(etude::tensor({{1, 2, 3}, {4, 5, 6}}));
    layer->linear2->bias.copy_(etude::tensor({10, 20}));
    CHECK(same(layer(etude::tensor({{2.0, 3.0}, {-1.0, 1.0}})), etude::tensor({{21.0, 49.0}, {12.0, 25.0}})));
  }

  TEST_CASE("a gate multiplies what the function gives") {
    FeedForward layer(FeedForwardOptions(4, 6).dropout(0).gated(true).bias(false).activation(
        [](const Tensor& t) { return etude::silu(t); }));
    CHECK(layer->named_parameters().keys() ==
          std::vector<std::string>{"linear1.weight", "gate.weight", "linear2.weight"});
    const Tensor x = golden::ramp({2, 3, 4});
    const Tensor a = x.matmul(layer->linear1->weight.t()), g = x.matmul(layer->gate->weight.t());
    CHECK(allclose(layer(x), (a / (1 + exp(-a)) * g).matmul(layer->linear2->weight.t()), 1e-5, 1e-6));
    CHECK(layer(zeros({0, 4})).sizes() == IntArrayRef({0, 4}));
  }

  TEST_CASE("drops between the products in train mode alone") {
    FeedForward layer(FeedForwardOptions(4, 60).dropout(0.5).activation(kGELU));
    const Tensor x = golden::ramp({3, 4});
    CHECK_FALSE(same(layer(x), layer(x)));
    layer->eval();
    CHECK(same(layer(x), layer(x)));
  }

  TEST_CASE("a gradient reaches every parameter, and a clone is trained alone") {
    FeedForward layer(FeedForwardOptions(4, 6).dropout(0).gated(true));
    const Tensor x = golden::ramp({3, 4}), y = layer(x);
    y.square().sum().backward();
    for (const auto& p : layer->named_parameters()) CHECK(p->grad().abs().sum().item<double>() > 0);
    const auto copy = std::dynamic_pointer_cast<FeedForwardImpl>(layer->clone());
    REQUIRE(copy);
    NoGradGuard no_grad;
    CHECK(same(copy->forward(x), y));
    copy->gate->weight.zero_();
    CHECK(same(layer(x), y));
  }
}
