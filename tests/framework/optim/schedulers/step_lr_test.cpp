#include "etude/optim/schedulers/step_lr.h"

#include <doctest/doctest.h>

#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::StepLR;

TEST_SUITE("StepLR") {
  TEST_CASE("gives PyTorch's learning rates from its first step on") {
    optim::SGD optimizer = recorded::two_groups();
    StepLR schedule(optimizer, 7, 0.5);
    schedule.step();  // the step of epoch 0, which Python takes in the constructor
    recorded::check_lrs("StepLR", optimizer, [&] { schedule.step(); });
  }

  TEST_CASE("divides by ten where nothing else is said") {
    optim::SGD optimizer({etude::ones({1}).requires_grad_()}, 1.0);
    StepLR schedule(optimizer, 2);
    std::vector<double> found;
    for (int i = 0; i < 6; ++i) {
      schedule.step();
      found.push_back(optimizer.param_groups()[0].options().get_lr());
    }
    CHECK(found == std::vector<double>{1, 1, 0.1, 0.1, 0.1 * 0.1, 0.1 * 0.1});
  }
}
