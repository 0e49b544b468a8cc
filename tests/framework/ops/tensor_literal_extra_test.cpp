// Arguments from which LibTorch cannot make a tensor.
#include <doctest/doctest.h>

#include <vector>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensor, beyond LibTorch") {
  TEST_CASE("a vector of bools makes a vector of bools") {
    const Tensor x = etude::tensor(std::vector<bool>{true, false});
    CHECK(same(x, etude::tensor({true, false})));
  }
}
