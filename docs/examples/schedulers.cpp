#include "support/example.h"

/// # Schedules of the learning rate
///
/// A schedule changes the learning rates of an optimizer from epoch to epoch: call `step` after the optimizer's steps of an
/// epoch, or after each of them, as the schedule counts.

/// - Units: epochs
/// - Errors: `Expected positive integer step_size, but got 0`
EXAMPLE(etude::optim::StepLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  etude::optim::StepLR schedule(optimizer, /*step_size=*/2, /*gamma=*/0.5);
  for (int epoch = 0; epoch < 6; ++epoch) {
    schedule.step();
    print(epoch, optimizer.param_groups()[0].options().get_lr());
  }
}

/// A scheduler of one's own computes the learning rate of each group from `step_count_`.
///
/// - Errors: `Number of learning rates not equal to the number of param groups` where it says more or fewer
EXAMPLE(etude::optim::LRScheduler) {
  struct Countdown : etude::optim::LRScheduler {
    using LRScheduler::LRScheduler;
    std::vector<double> get_lrs() override { return std::vector<double>(numbers, 1.0 / (1 + step_count_)); }
    size_t numbers = 1;
  };
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  Countdown schedule(optimizer);
  for (int epoch = 0; epoch < 3; ++epoch) {
    schedule.step();
    print(optimizer.param_groups()[0].options().get_lr());
  }
  schedule.numbers = 2;
  print(examples::message_of([&] { schedule.step(); }));
}
