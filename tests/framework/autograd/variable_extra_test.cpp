// Python's names of nodes, and errors where LibTorch returns a result.
#include <doctest/doctest.h>

#include <string>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("variable, beyond LibTorch") {
  TEST_CASE("grad_fn_name is the name that Python prints, for numbers too") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK(std::string((x + etude::ones({2})).grad_fn_name()) == "AddBackward0");
    CHECK(std::string((x * 2).grad_fn_name()) == "MulBackward0");
    CHECK(std::string((x * 1).add_(1).grad_fn_name()) == "AddBackward0");
    CHECK(std::string(x.grad_fn_name()).empty());
    const Tensor y = x * 1;
    y[0].mul_(2);
    CHECK(std::string(y.grad_fn_name()) == "CopySlices");
  }

  TEST_CASE("an undefined tensor is not asked whether it requires grad") {
    const Tensor none;
    CHECK_THROWS_AS(none.requires_grad(), Error);
  }
}
