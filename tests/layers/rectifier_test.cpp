#include "etude/rectifier.h"

#include <doctest/doctest.h>

#include "etude/sequential.h"
#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Rectifiers") {
  namespace {

  const Tensor x = golden::ramp({3, 4}) * 8;

  }  // namespace

  TEST_CASE("are their functions with the options kept, and PyTorch's defaults") {
    CHECK(same(LeakyReLU()(x), leaky_relu(x, 0.01)));
    CHECK(same(LeakyReLU(LeakyReLUOptions().negative_slope(0.3))(x), leaky_relu(x, 0.3)));
    CHECK(same(ELU()(x), elu(x, 1)));
    CHECK(same(ELU(ELUOptions().alpha(0.4))(x), elu(x, 0.4)));
    CHECK(same(SELU()(x), selu(x)));
    CHECK(same(CELU()(x), celu(x, 1)));
    CHECK(same(CELU(CELUOptions().alpha(0.4))(x), celu(x, 0.4)));
    CHECK(same(ReLU6()(x), clamp(x, 0, 6)));
  }

  TEST_CASE("write into their input if they are told to") {
    auto check = [](auto module) {
      const Tensor input = x.clone(), y = module(input);
      CHECK(y.is_same(input));
      CHECK_FALSE(same(y, x));
    };
    check(LeakyReLU(LeakyReLUOptions().inplace(true)));
    check(ELU(ELUOptions().inplace(true)));
    check(SELU(true));
    check(CELU(CELUOptions().inplace(true)));
    check(ReLU6(true));
  }

  TEST_CASE("PReLU learns its slopes, which start with the given value") {
    PReLU one, many(PReLUOptions().num_parameters(4).init(0.5));
    CHECK(same(one->weight, etude::full({1}, 0.25)));
    CHECK(same(many->weight, etude::full({4}, 0.5)));
    CHECK(same(many(x), where(x.gt(0), x, x * 0.5)));
    CHECK(many->named_parameters().keys() == std::vector<std::string>{"weight"});
    many(x).sum().backward();
    CHECK(allclose(many->weight.grad(), clamp(x, nullopt, 0).sum(0)));
    CHECK(refusal([&] { many(x.t()); }) ==
          "Error: Mismatch of parameter numbers and input channel size. Found parameter numbers = 4 and "
          "channel "
          "size = 3.");
  }

  TEST_CASE("stand in a Sequential") {
    auto layers = Sequential(LeakyReLU(), ELU(), SELU(), CELU(), ReLU6(), PReLU());
    const Tensor y = layers->forward(x);
    CHECK(allclose(y, relu6(celu(selu(elu(leaky_relu(x)))))));
    CHECK(layers->named_parameters().keys() == std::vector<std::string>{"5.weight"});
  }

  TEST_CASE("a clone of PReLU has a weight of its own") {
    PReLU original;
    const auto copy = std::dynamic_pointer_cast<PReLUImpl>(original->clone());
    {
      NoGradGuard no_grad;
      original->weight.fill_(2);
    }
    CHECK(same(copy->weight, etude::full({1}, 0.25)));
    CHECK(same(copy->parameters()[0], copy->weight));
  }
}
