// Gradients that LibTorch refuses to compute.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"

using namespace etude;

TEST_SUITE("losses of elements, beyond LibTorch") {
  TEST_CASE("a target of other sizes has the gradient of finite differences in binary_cross_entropy too") {
    const Tensor x = etude::linspace(-2, 2, 6, kDouble).view({6, 1});
    const Tensor wide = etude::linspace(-2, 2, 6, kDouble).view({2, 3});
    const Tensor goal = etude::linspace(0.1, 0.8, 6, kDouble);
    for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
      check_gradients(
          {[=](const auto& in) { return binary_cross_entropy(sigmoid(in[0]), in[1], {}, reduction); }},
          {x, goal});
      check_gradients(
          {[=](const auto& in) { return binary_cross_entropy(sigmoid(in[0]), in[1], {}, reduction); }},
          {wide, goal.slice(0, 0, 3)});
    }
  }
}
