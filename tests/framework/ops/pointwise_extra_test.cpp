// Numbers that LibTorch truncates to integers or rejects.
#include <doctest/doctest.h>

#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("arithmetic, beyond LibTorch") {
  TEST_CASE("a number and a tensor of integers are promoted on either side") {
    const Tensor x = etude::tensor({1, 2});
    CHECK(equal(0.5 - x, etude::tensor({-0.5, -1.5})));
    CHECK(equal(1 / x, etude::tensor({1.0, 0.5})));
  }
}
