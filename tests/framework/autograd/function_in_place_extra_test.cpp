// Errors of custom functions that write in place, in cases where LibTorch silently changes a leaf.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/ops/ops.h"
#include "support/custom_function.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

TEST_SUITE("function in place, beyond LibTorch") {
  TEST_CASE("a view of a leaf is not written") {
    CHECK(refusal([] {
            ExpInPlace::apply(leaf({1.0, 2.0})[0]);
          }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
}
