// NoamLR, which LibTorch lacks.
#include "etude/optim/schedulers/noam_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::NoamLR;

TEST_SUITE("NoamLR") {
  TEST_CASE("gives the learning rates of the formula, as a LambdaLR of PyTorch does") {
    optim::SGD optimizer = recorded::two_groups();
    NoamLR schedule(optimizer, /*d_model=*/64, /*warmup=*/20, /*factor=*/2);
    recorded::check_lrs("NoamLR", optimizer, [&] { schedule.step(); });
  }

  TEST_CASE("is highest at the end of the warm-up: factor / sqrt(d_model * warmup)") {
    optim::SGD optimizer = recorded::two_groups();
    NoamLR schedule(optimizer, 512);
    double highest = 0;
    int at = 0;
    for (int step = 1; step < 4100; ++step, schedule.step())
      if (recorded::lrs_of(optimizer)[0] > highest) {
        highest = recorded::lrs_of(optimizer)[0];
        at = step;
      }
    CHECK(at == 4000);
    CHECK(highest == doctest::Approx(1 / std::sqrt(512.0 * 4000)).epsilon(1e-12));
  }

  TEST_CASE("refuses sizes that are not positive") {
    optim::SGD optimizer = recorded::two_groups();
    CHECK_THROWS_WITH_AS(NoamLR(optimizer, 0), "Expected positive integer d_model, but got 0", ValueError);
    CHECK_THROWS_WITH_AS(NoamLR(optimizer, 8, -1), "Expected positive integer warmup, but got -1",
                         ValueError);
  }
}
