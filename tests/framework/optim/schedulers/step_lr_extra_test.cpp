// LibTorch divides by a step_size of 0.
#include "etude/optim/schedulers/step_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;

TEST_SUITE("StepLR, beyond LibTorch") {
  TEST_CASE("refuses a step_size of 0") {
    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(optim::StepLR(optimizer, 0), "Expected positive integer step_size, but got 0",
                         ValueError);
  }
}
