// Properties of a schedule beyond LibTorch: its epoch, its learning rates and the initial ones.
#include "etude/optim/schedulers/lr_scheduler.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/ivalue.h"
#include "etude/io/input_archive.h"
#include "etude/io/output_archive.h"
#include "etude/optim/schedulers/cosine_annealing_lr.h"
#include "etude/optim/schedulers/lambda_lr.h"
#include "etude/optim/schedulers/linear_lr.h"
#include "etude/optim/schedulers/one_cycle_lr.h"
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"
#include "etude/optim/schedulers/step_lr.h"
#include "framework/optim/schedulers/recorded_lrs.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("LRScheduler, beyond LibTorch") {
  TEST_CASE("tells its epoch and the learning rates that it set last") {
    SGD optimizer = recorded::two_groups();
    StepLR steps(optimizer, 1, 0.5);
    CHECK(steps.last_epoch() == -1);
    CHECK(steps.get_last_lr() == std::vector<double>{0.1, 0.05});
    steps.step();
    steps.step();
    CHECK(steps.last_epoch() == 1);
    optimizer.param_groups()[0].options().set_lr(7);
    CHECK(steps.get_last_lr() == std::vector<double>{0.05, 0.025});
    LambdaLR lambda(optimizer, [](int64_t) { return 2.0; });
    CHECK(lambda.last_epoch() == 0);
  }

  TEST_CASE("schedules of one optimizer share what the groups had before the first of them") {
    SGD optimizer = recorded::two_groups();
    CHECK_FALSE(optimizer.param_groups()[0].initial_lr());
    LinearLR linear(optimizer, 0.5);
    LambdaLR lambda(optimizer, [](int64_t) { return 2.0; });
    CHECK(lambda.base_lrs() == std::vector<double>{0.1, 0.05});
    CHECK(recorded::lrs_of(optimizer) == std::vector<double>{0.2, 0.1});
    CHECK(optimizer.param_groups()[1].initial_lr() == 0.05);
    const OptimizerParamGroup copy = optimizer.param_groups()[1];
    CHECK(copy.initial_lr() == 0.05);
  }

  TEST_CASE("schedules chain as Python's do") {
    SGD optimizer = recorded::two_groups();
    LinearLR linear(optimizer, 0.1, 1.0, 8);
    CosineAnnealingLR cosine(optimizer, 20, 0.001);
    recorded::check_lrs("LinearLR and CosineAnnealingLR", optimizer, [&] {
      linear.step();
      cosine.step();
    });
  }

  TEST_CASE("schedules that know the groups' first learning rates refuse groups that are added later") {
    SGD optimizer = recorded::two_groups();
    CosineAnnealingLR cosine(optimizer, 9);
    LambdaLR lambda(optimizer, [](int64_t) { return 2.0; });
    OneCycleLR cycle(optimizer, {0.1, 10});
    LinearLR linear(optimizer);
    ReduceLROnPlateau plateau(optimizer, ReduceLROnPlateauOptions().patience(0));
    optimizer.add_param_group(OptimizerParamGroup({etude::zeros({1})}));
    CHECK_THROWS_WITH_AS(cosine.step(), "CosineAnnealingLR was made for 2 param groups, now there are 3",
                         Error);
    CHECK_THROWS_WITH_AS(plateau.step(std::nan("")),
                         "ReduceLROnPlateau was made for 2 param groups, now there are 3", Error);
    for (LRScheduler* schedule : {static_cast<LRScheduler*>(&lambda), static_cast<LRScheduler*>(&cycle)})
      CHECK_THROWS_WITH_AS(schedule->step(),
                           "Number of learning rates not equal to the number of param groups\n"
                           "Number of learning rates given: 2\nNumber of param groups: 3",
                           Error);
    linear.step();
    CHECK(linear.get_last_lr().size() == 3);
  }

  TEST_CASE("a schedule goes on where another one was") {
    SGD optimizer = recorded::two_groups(), other = recorded::two_groups();
    CosineAnnealingLR whole(optimizer, 9, 0.01), first(other, 9, 0.01);
    for (int i = 0; i < 13; ++i) {
      whole.step();
      first.step();
    }
    const std::vector<double> lrs = recorded::lrs_of(other);
    SGD resumed = recorded::two_groups(7.0);
    CosineAnnealingLR second(resumed, 9, 0.01);
    second.set_last_epoch(first.last_epoch());
    second.set_base_lrs(first.base_lrs());
    for (size_t i = 0; i < 2; ++i) resumed.param_groups()[i].options().set_lr(lrs[i]);
    for (int i = 0; i < 20; ++i) {
      whole.step();
      second.step();
      CHECK(recorded::lrs_of(resumed) == recorded::lrs_of(optimizer));
    }
    CHECK_THROWS_WITH_AS(second.set_base_lrs({1.0}), "expected 2 values for base_lrs, got 1", ValueError);
  }

  TEST_CASE("a schedule that is refused leaves nothing behind") {
    SGD optimizer = recorded::two_groups();
    CHECK_THROWS_AS(LinearLR(optimizer, 2.0), ValueError);
    CHECK_FALSE(optimizer.param_groups()[0].initial_lr().has_value());
    for (OptimizerParamGroup& group : optimizer.param_groups()) group.options().set_lr(5);
    LambdaLR constant(optimizer, [](int64_t) { return 1.0; });
    CHECK(recorded::lrs_of(optimizer)[0] == 5);
  }

  TEST_CASE("an epoch that no schedule counts to is refused, and nothing changes") {
    SGD optimizer = recorded::two_groups();
    StepLR steps(optimizer, 2);
    steps.step();
    for (const auto& [epoch, text] : {std::pair(int64_t{-2}, "-2"),
                                      {INT64_MIN, "-9223372036854775808"},
                                      {INT64_MAX, "9223372036854775807"},
                                      {int64_t{INT32_MAX}, "2147483647"}}) {
      CHECK(refusal([&, e = epoch] { steps.set_last_epoch(e); }) ==
            std::string("ValueError: expected an epoch from -1 to 2147483646 for last_epoch, got ") + text);
      CHECK(steps.last_epoch() == 0);
    }
    for (const int64_t epoch : {-1, 0, INT32_MAX - 1}) {
      steps.set_last_epoch(epoch);
      CHECK(steps.last_epoch() == epoch);
    }
  }

  TEST_CASE("a count that no schedule counts to is not loaded, and the largest epoch is") {
    SGD optimizer = recorded::two_groups();
    StepLR steps(optimizer, 2);
    const auto load = [&](int64_t count) {
      serialize::OutputArchive saved;
      saved.write("_step_count", IValue(count));
      saved.write("base_lrs", IValue(steps.base_lrs()));
      saved.write("_last_lr", IValue(steps.get_last_lr()));
      std::stringstream bytes;
      saved.save_to(bytes);
      serialize::InputArchive archive;
      archive.load_from(bytes);
      steps.load(archive);
    };
    for (const auto& [count, text] : {std::pair(int64_t{-1}, "-1"),
                                      {INT64_MIN, "-9223372036854775808"},
                                      {INT64_MAX, "9223372036854775807"},
                                      {int64_t{1} << 31, "2147483648"}}) {
      CHECK(refusal([&, n = count] { load(n); }) ==
            std::string("ValueError: expected a count for _step_count, got ") + text);
      CHECK(steps.last_epoch() == -1);
    }
    load(INT32_MAX);
    CHECK(steps.last_epoch() == INT32_MAX - 1);
  }
}
