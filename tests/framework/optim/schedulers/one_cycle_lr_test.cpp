// OneCycleLR follows Python; LibTorch lacks it.
#include "etude/optim/schedulers/one_cycle_lr.h"

#include <doctest/doctest.h>

#include "etude/optim/adagrad.h"
#include "etude/optim/adam.h"
#include "etude/optim/adamw.h"
#include "etude/optim/rmsprop.h"
#include "framework/optim/schedulers/recorded_lrs.h"

using namespace etude;
using optim::OneCycleLR;
using optim::OneCycleLROptions;

TEST_SUITE("OneCycleLR") {
  namespace {

  double momentum_of(const optim::OptimizerOptions& options) {
    if (const auto* sgd = dynamic_cast<const optim::SGDOptions*>(&options)) return sgd->momentum();
    return std::get<0>(dynamic_cast<const optim::AdamOptions&>(options).betas());
  }

  // Checks the learning rates and, if recorded, the momentum of 60 epochs.
  void check_cycle(const std::string& name, optim::Optimizer& optimizer, const OneCycleLROptions& options) {
    OneCycleLR schedule(optimizer, options);
    const auto& momentums = recorded::optim().at("schedules").at(name).at("momentums");
    size_t epoch = 0;
    auto check_momentum = [&] {
      if (momentums.empty()) return;
      std::vector<double> found;
      for (const auto& group : optimizer.param_groups()) found.push_back(momentum_of(group.options()));
      recorded::check_close(found, momentums[epoch++]);
    };
    check_momentum();
    recorded::check_lrs(name, optimizer, [&] {
      schedule.step();
      check_momentum();
    });
    CHECK(epoch == momentums.size());
  }

  }  // namespace

  TEST_CASE("gives PyTorch's learning rates and momentum") {
    optim::SGD sgd = recorded::two_groups(), fixed = recorded::two_groups();
    check_cycle("OneCycleLR", sgd, OneCycleLROptions(0.3, 60));
    check_cycle("OneCycleLR fixed momentum", fixed, OneCycleLROptions(0.3, 60).cycle_momentum(false));
    CHECK(momentum_of(fixed.param_groups()[0].options()) == 0.9);
  }

  TEST_CASE("gives PyTorch's learning rates and first betas, for each group its own") {
    optim::Adam linear(recorded::groups()), three(recorded::groups());
    check_cycle("OneCycleLR linear", linear,
                OneCycleLROptions({0.3, 0.2}, 75)
                    .anneal_strategy("linear")
                    .pct_start(0.4)
                    .base_momentum({0.7, 0.8})
                    .max_momentum(0.9)
                    .div_factor(10)
                    .final_div_factor(100));
    check_cycle("OneCycleLR three", three, OneCycleLROptions(0.3, 60).three_phase(true));
    const auto& options = dynamic_cast<optim::AdamOptions&>(three.param_groups()[0].options());
    CHECK(std::get<1>(options.betas()) == 0.999);
  }

  TEST_CASE("knows the momentum of every optimizer that has one") {
    optim::RMSprop rmsprop(recorded::groups());
    OneCycleLR of_rmsprop(rmsprop, {0.3, 60});
    CHECK(dynamic_cast<optim::RMSpropOptions&>(rmsprop.param_groups()[1].options()).momentum() == 0.95);
    optim::AdamW adamw(recorded::groups());
    OneCycleLR of_adamw(adamw, {0.3, 60});
    CHECK(std::get<0>(dynamic_cast<optim::AdamWOptions&>(adamw.param_groups()[1].options()).betas()) == 0.95);
    optim::Adagrad adagrad(recorded::groups());
    CHECK_THROWS_WITH_AS(OneCycleLR(adagrad, {0.3, 60}),
                         "optimizer must support momentum with `cycle_momentum` option enabled", ValueError);
    OneCycleLR without(adagrad, OneCycleLROptions(0.3, 60).cycle_momentum(false));
    CHECK(without.get_last_lr() == recorded::lrs_of(adagrad));
  }

  TEST_CASE("refuses to go on after the cycle") {
    optim::SGD optimizer = recorded::two_groups();
    OneCycleLR schedule(optimizer, {0.3, 10});
    for (int i = 0; i < 10; ++i) schedule.step();
    CHECK_THROWS_WITH_AS(schedule.step(), "Tried to step 12 times. The specified number of total steps is 10",
                         ValueError);
  }

  TEST_CASE("refuses options that make no sense") {
    optim::SGD optimizer = recorded::two_groups();
    auto refuses = [&](const OneCycleLROptions& options, const char* text) {
      CHECK_THROWS_WITH_AS(OneCycleLR(optimizer, options), text, ValueError);
    };
    refuses({0.3, 0}, "Expected positive integer total_steps, but got 0");
    refuses(OneCycleLROptions(0.3, 10).pct_start(1.5),
            "Expected float between 0 and 1 pct_start, but got 1.5");
    refuses(OneCycleLROptions(0.3, 10).anneal_strategy("cubic"),
            "anneal_strategy must by one of 'cos' or 'linear', instead got cubic");
    refuses(OneCycleLROptions(0.3, 10).div_factor(0),
            "float division by zero\nreceived div_factor 0, final_div_factor 10000");
    refuses(OneCycleLROptions(0.3, 10).final_div_factor(0),
            "float division by zero\nreceived div_factor 25, final_div_factor 0");
    refuses({{0.1, 0.2, 0.3}, 10}, "expected 2 values for max_lr, got 3");
    refuses(OneCycleLROptions(0.3, 10).base_momentum({0.1}), "expected 2 values for base_momentum, got 1");
    refuses(OneCycleLROptions(0.3, 10).max_momentum({0.1}), "expected 2 values for max_momentum, got 1");
    refuses(OneCycleLROptions(0.3, 10).pct_start(0.1),
            "float division by zero\nhint: a phase of the cycle has one step; pct_start * total_steps should "
            "be more");
  }
}
