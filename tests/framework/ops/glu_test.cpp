#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("glu") {
  TEST_CASE("is the first half times the sigmoid of the second") {
    const Tensor x = etude::linspace(-3, 2, 24, kDouble).view({2, 6, 2});
    for (const int64_t dim : {0, 1, 2, -1, -3}) {
      CAPTURE(dim);
      const auto halves = x.chunk(2, dim);
      CHECK(allclose(glu(x, dim), halves[0] * sigmoid(halves[1]), 1e-14));
    }
    CHECK(same(glu(x), glu(x, 2)));
    CHECK(allclose(glu(x.to(kFloat), 1), glu(x, 1).to(kFloat)));
    CHECK(allclose(glu(x.transpose(0, 1), 0), glu(x, 1).transpose(0, 1), 1e-15));
    CHECK(glu(etude::zeros({0, 4})).sizes() == IntArrayRef({0, 2}));
    CHECK(glu(etude::zeros({3, 0})).sizes() == IntArrayRef({3, 0}));
    CHECK(same(glu(etude::tensor({3.0, -1000.0})), etude::tensor({0.0})));
  }

  TEST_CASE("has the gradient and second gradient of finite differences") {
    const Tensor x = etude::linspace(-3, 2, 12, kDouble).view({3, 4});
    check_gradients({[](const auto& in) { return glu(in[0]); }}, {x});
    check_gradients({[](const auto& in) { return glu(in[0], 0); }}, {x.t()});
    CHECK(node_name(glu(etude::ones({2}).requires_grad_())) == "GluBackward0");
  }

  TEST_CASE("refuses what has no halves") {
    CHECK(refusal([] {
            glu(etude::ones({2, 3}));
          }) == "Error: Halving dimension must be even, but dimension 1 is size 3");
    CHECK(refusal([] { glu(etude::ones({})); }) == "Error: glu does not support 0-dimensional tensors");
    CHECK(refusal([] {
            glu(etude::ones({2, 2}), 5);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 5)");
    CHECK(refusal([] { glu(etude::arange(2)); }) == "Error: \"glu_cpu\" not implemented for 'Long'");
  }
}
