// Differences from LibTorch in the utilities for gradients.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"

using namespace etude;

TEST_SUITE("utilities for gradients, beyond LibTorch") {
  TEST_CASE("a parameter that is listed twice is clipped once") {
    const Tensor w = ones({4}, requires_grad());
    w.mutable_grad() = full({4}, 2.);
    CHECK(nn::utils::clip_grad_norm_({w, w}, 1.0) == doctest::Approx(4));
    CHECK(allclose(w.grad(), full({4}, 0.5)));
  }
}
