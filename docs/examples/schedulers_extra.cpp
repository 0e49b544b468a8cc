#include "support/example.h"

/// The base class of `MultiStepLR`, `LinearLR` and `ExponentialLR`. A subclass gives the factor by which the learning rate of the
/// epoch before is multiplied, so that several schedules can work on one optimizer.
///
/// - Errors: none of its own
/// - PyTorch: none
EXAMPLE(etude::optim::FactorLR) {
  struct Halving : etude::optim::FactorLR {
    explicit Halving(etude::optim::Optimizer& optimizer) : FactorLR(optimizer) { step(); }
    double factor() const override { return step_count_ == 0 ? 1 : 0.5; }
  };
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  Halving first(optimizer), second(optimizer);
  for (int epoch = 0; epoch < 3; ++epoch) {
    print(optimizer.param_groups()[0].options().get_lr());
    first.step();
    second.step();
  }
}

/// - Units: epochs
/// - Errors: none of its own
/// - PyTorch: `torch.optim.lr_scheduler.MultiStepLR`
EXAMPLE(etude::optim::MultiStepLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  etude::optim::MultiStepLR schedule(optimizer, {1, 3}, /*gamma=*/0.5);
  for (; schedule.last_epoch() < 4; schedule.step()) print(schedule.last_epoch(), schedule.get_last_lr()[0]);
}

/// - Units: epochs
/// - Errors: none of its own
/// - PyTorch: `torch.optim.lr_scheduler.ExponentialLR`
EXAMPLE(etude::optim::ExponentialLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  etude::optim::ExponentialLR schedule(optimizer, /*gamma=*/0.5);
  for (; schedule.last_epoch() < 3; schedule.step()) print(schedule.last_epoch(), schedule.get_last_lr()[0]);
}

/// - Units: epochs
/// - Errors: `Starting multiplicative factor expected to be between 0 and 1.` where it is not; `float division by zero` from
///   `step` after a factor of 0
/// - PyTorch: `torch.optim.lr_scheduler.LinearLR`
EXAMPLE(etude::optim::LinearLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 1.0);
  etude::optim::LinearLR schedule(optimizer, /*start_factor=*/0.5, /*end_factor=*/1.0, /*total_iters=*/2);
  for (; schedule.last_epoch() < 4; schedule.step()) print(schedule.last_epoch(), schedule.get_last_lr()[0]);
  print(examples::message_of([&] { etude::optim::LinearLR(optimizer, 2.0); }));
}

/// - Units: epochs
/// - Errors: `Expected 1 lr_lambdas, but got 2` where they are not one for each group
/// - PyTorch: `torch.optim.lr_scheduler.LambdaLR`
EXAMPLE(etude::optim::LambdaLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  const etude::optim::LambdaLR::Lambda by_epoch = [](int64_t epoch) {
    return 1.0 / static_cast<double>(1 + epoch);
  };
  etude::optim::LambdaLR schedule(optimizer, by_epoch);
  std::vector<double> lrs;
  for (; schedule.last_epoch() < 4; schedule.step()) lrs.push_back(schedule.get_last_lr()[0]);
  print(etude::tensor(lrs));
  print(examples::message_of([&] { etude::optim::LambdaLR(optimizer, {by_epoch, by_epoch}); }));
}

/// - Units: epochs
/// - Errors: `Expected positive integer T_max, but got 0` where T_max is not positive
/// - PyTorch: `torch.optim.lr_scheduler.CosineAnnealingLR`
EXAMPLE(etude::optim::CosineAnnealingLR) {
  etude::optim::SGD optimizer({etude::ones({1})}, 1.0);
  etude::optim::CosineAnnealingLR schedule(optimizer, /*T_max=*/4, /*eta_min=*/0.1);
  std::vector<double> lrs;
  for (; schedule.last_epoch() < 5; schedule.step()) lrs.push_back(schedule.get_last_lr()[0]);
  print(etude::tensor(lrs));
  print(examples::message_of([&] { etude::optim::CosineAnnealingLR(optimizer, 0); }));
}

/// - Units: steps of the optimizer
/// - Errors: `Expected positive integer d_model, but got 0`, `Expected positive integer warmup, but got 0`
/// - PyTorch: none
EXAMPLE(etude::optim::NoamLR) {
  etude::optim::Adam optimizer({etude::ones({1})}, 1.0);
  etude::optim::NoamLR schedule(optimizer, /*d_model=*/64, /*warmup=*/4);
  std::vector<double> lrs;
  for (; schedule.last_epoch() < 8; schedule.step()) lrs.push_back(schedule.get_last_lr()[0]);
  print(etude::tensor(lrs));
  print(examples::message_of([&] { etude::optim::NoamLR(optimizer, 0); }));
}

/// - Units: steps of the optimizer
/// - Errors: `Expected positive integer total_steps, but got 0`, and after the last step
///   `Tried to step 8 times. The specified number of total steps is 6`
/// - PyTorch: `torch.optim.lr_scheduler.OneCycleLR`
EXAMPLE(etude::optim::OneCycleLR, etude::optim::PerGroup) {
  std::vector<etude::optim::OptimizerParamGroup> groups{{{etude::ones({1})}}, {{etude::ones({1})}}};
  etude::optim::SGD optimizer(groups, etude::optim::SGDOptions(1.0).momentum(0.9));
  etude::optim::OneCycleLROptions options(etude::optim::PerGroup{1.0, 0.5}, /*total_steps=*/6);
  etude::optim::OneCycleLR schedule(
      optimizer, options.anneal_strategy("linear").pct_start(0.5).div_factor(10).final_div_factor(10));
  std::vector<double> lrs, momentums;
  for (int step = 0; step < 6; ++step) {
    const auto& first = static_cast<etude::optim::SGDOptions&>(optimizer.param_groups()[0].options());
    lrs.push_back(first.lr());
    momentums.push_back(first.momentum());
    schedule.step();
  }
  print(etude::tensor(lrs), etude::tensor(momentums));
  print(examples::message_of([&] { schedule.step(); }));
  print(etude::optim::PerGroup(0.1).of(2, "values for max_lr").size());
}

/// `step` takes the metric of each epoch. Here the metric stops falling, and one such epoch is tolerated.
///
/// - Units: epochs
/// - Errors: `Factor should be < 1.0.`, `mode middle is unknown!`
/// - PyTorch: `torch.optim.lr_scheduler.ReduceLROnPlateau`
EXAMPLE(etude::optim::ReduceLROnPlateau) {
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  etude::optim::ReduceLROnPlateau schedule(optimizer,
                                           etude::optim::ReduceLROnPlateauOptions().factor(0.5).patience(1));
  for (const double loss : {3.0, 2.0, 2.5, 2.5, 2.5}) {
    schedule.step(loss);
    print(loss, optimizer.param_groups()[0].options().get_lr(), schedule.state().num_bad_epochs);
  }
  const auto wrong = etude::optim::ReduceLROnPlateauOptions().mode("middle");
  print(examples::message_of([&] { etude::optim::ReduceLROnPlateau(optimizer, wrong); }));
}

/// - Shapes: none
/// - Errors: `Factor should be < 1.0.`, `Number of learning rates not equal to the number of param groups`
/// - PyTorch: `torch::optim::ReduceLROnPlateauScheduler` of LibTorch 2
EXAMPLE(etude::optim::ReduceLROnPlateauScheduler) {
  using Scheduler = etude::optim::ReduceLROnPlateauScheduler;
  etude::optim::SGD optimizer({etude::ones({1})}, 0.8);
  Scheduler schedule(optimizer, Scheduler::max, /*factor=*/0.5, /*patience=*/0);
  for (const float accuracy : {0.7F, 0.75F, 0.75F}) {
    schedule.step(accuracy);
    print(optimizer.param_groups()[0].options().get_lr());
  }
  print(examples::message_of([&] { Scheduler(optimizer, Scheduler::min, 2); }));
}
