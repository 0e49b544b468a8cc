// MultiStepLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/multi_step_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::MultiStepLR;

TEST_SUITE("MultiStepLR") {
  TEST_CASE("gives PyTorch's learning rates, a milestone that stands twice counting twice") {
    optim::SGD optimizer = recorded::two_groups();
    MultiStepLR schedule(optimizer, {3, 10, 10, 41}, 0.3);
    recorded::check_lrs("MultiStepLR", optimizer, [&] { schedule.step(); });
  }

  TEST_CASE("divides by ten where nothing else is said, and does nothing without milestones") {
    optim::SGD optimizer = recorded::two_groups();
    MultiStepLR none(optimizer, {}), at_the_start(optimizer, {0});
    none.step();
    CHECK(recorded::lrs_of(optimizer)[0] == 0.1 * 0.1);
  }
}
