// ExponentialLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/exponential_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::ExponentialLR;

TEST_SUITE("ExponentialLR") {
  TEST_CASE("gives PyTorch's learning rates") {
    optim::SGD optimizer = recorded::two_groups();
    ExponentialLR schedule(optimizer, 0.93);
    recorded::check_lrs("ExponentialLR", optimizer, [&] { schedule.step(); });
  }
}
