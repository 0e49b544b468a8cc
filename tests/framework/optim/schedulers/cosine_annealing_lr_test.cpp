// CosineAnnealingLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/cosine_annealing_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::CosineAnnealingLR;

TEST_SUITE("CosineAnnealingLR") {
  TEST_CASE("gives PyTorch's learning rates, down and up again") {
    optim::SGD once = recorded::two_groups(), several = recorded::two_groups();
    CosineAnnealingLR long_one(once, 50);
    recorded::check_lrs("CosineAnnealingLR", once, [&] { long_one.step(); });
    CosineAnnealingLR short_one(several, 9, /*eta_min=*/0.01);
    recorded::check_lrs("CosineAnnealingLR several", several, [&] { short_one.step(); });
  }

  TEST_CASE("refuses a period without epochs") {
    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(CosineAnnealingLR(optimizer, 0), "Expected positive integer T_max, but got 0",
                         ValueError);
  }
}
