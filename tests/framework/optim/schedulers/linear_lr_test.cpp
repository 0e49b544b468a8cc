// LinearLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/linear_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::LinearLR;

TEST_SUITE("LinearLR") {
  TEST_CASE("gives PyTorch's learning rates, up and down") {
    optim::SGD up = recorded::two_groups(), down = recorded::two_groups();
    LinearLR rising(up);
    recorded::check_lrs("LinearLR", up, [&] { rising.step(); });
    LinearLR falling(down, /*start_factor=*/1, /*end_factor=*/0.1, /*total_iters=*/40);
    recorded::check_lrs("LinearLR down", down, [&] { falling.step(); });
  }

  TEST_CASE("refuses factors outside of 0 and 1") {
    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(LinearLR(optimizer, 1.5),
                         "Starting multiplicative factor expected to be between 0 and 1.\nreceived 1.5",
                         ValueError);
    CHECK_THROWS_WITH_AS(LinearLR(optimizer, 0.5, -1),
                         "Ending multiplicative factor expected to be between 0 and 1.\nreceived -1",
                         ValueError);
    CHECK(recorded::lrs_of(optimizer)[0] == 0.1);
    LinearLR from_nothing(optimizer, 0.0);
    CHECK_THROWS_WITH_AS(
        from_nothing.step(),
        "float division by zero\nhint: a start_factor of 0 has no multiple; take a small one", ValueError);
  }
}
