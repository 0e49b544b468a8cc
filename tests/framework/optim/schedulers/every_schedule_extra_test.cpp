// All schedules, recreated with the same arguments and loaded, continue as if they had never stopped.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <sstream>

#include "etude/io/serialize.h"
#include "etude/optim/schedulers/cosine_annealing_lr.h"
#include "etude/optim/schedulers/exponential_lr.h"
#include "etude/optim/schedulers/lambda_lr.h"
#include "etude/optim/schedulers/linear_lr.h"
#include "etude/optim/schedulers/multi_step_lr.h"
#include "etude/optim/schedulers/noam_lr.h"
#include "etude/optim/schedulers/one_cycle_lr.h"
#include "etude/optim/schedulers/reduce_lr_on_plateau.h"
#include "etude/optim/schedulers/step_lr.h"
#include "framework/optim/schedulers/recorded_lrs.h"
#include "support/any_function.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("every schedule") {
  namespace {

  using Make = AnyFunction<std::unique_ptr<LRScheduler>(Optimizer&)>;

  const std::map<std::string, Make> every_schedule = {
      {"StepLR", [](Optimizer& o) { return std::make_unique<StepLR>(o, 3, 0.5); }},
      {"MultiStepLR",
       [](Optimizer& o) {
         return std::make_unique<MultiStepLR>(o, std::vector<int64_t>{2, 9, 9});
       }},
      {"ExponentialLR", [](Optimizer& o) { return std::make_unique<ExponentialLR>(o, 0.9); }},
      {"LambdaLR",
       [](Optimizer& o) {
         return std::make_unique<LambdaLR>(o, [](int64_t e) { return std::cos(static_cast<double>(e)); });
       }},
      {"LinearLR", [](Optimizer& o) { return std::make_unique<LinearLR>(o, 0.1, 1.0, 12); }},
      {"CosineAnnealingLR", [](Optimizer& o) { return std::make_unique<CosineAnnealingLR>(o, 6, 0.01); }},
      {"NoamLR", [](Optimizer& o) { return std::make_unique<NoamLR>(o, 16, 9); }},
      {"OneCycleLR",
       [](Optimizer& o) {
         return std::make_unique<OneCycleLR>(o, OneCycleLROptions({0.3, 0.2}, 25).three_phase(true));
       }},
  };

  /// Saves one schedule to bytes and loads it into the other.
  template <typename Saved, typename Loaded>
  void pass(const Saved& saved, Loaded& loaded) {
    std::stringstream stream;
    serialize::OutputArchive output;
    saved.save(output);
    output.save_to(stream);
    serialize::InputArchive input;
    input.load_from(stream);
    loaded.load(input);
  }

  double momentum_of(const Optimizer& optimizer, size_t group) {
    return static_cast<const SGDOptions&>(optimizer.param_groups()[group].options()).momentum();
  }

  }  // namespace

  TEST_CASE("goes on where the saved one was, to the bit") {
    for (const auto& [name, make] : every_schedule) {
      for (const int stop : {0, 1, 7, 13}) {
        CAPTURE(name);
        CAPTURE(stop);
        SGD optimizer = recorded::two_groups(), other = recorded::two_groups(7.0);
        const auto whole = make(optimizer);
        for (int i = 0; i < stop; ++i) whole->step();
        const auto resumed = make(other);
        resumed->step();
        pass(optimizer, other);
        pass(*whole, *resumed);
        CHECK(resumed->last_epoch() == whole->last_epoch());
        CHECK(resumed->get_last_lr() == whole->get_last_lr());
        CHECK(resumed->base_lrs() == whole->base_lrs());
        for (int i = 0; i < 10; ++i) {
          whole->step();
          resumed->step();
          REQUIRE(recorded::lrs_of(other) == recorded::lrs_of(optimizer));
          REQUIRE(momentum_of(other, 1) == momentum_of(optimizer, 1));
        }
      }
    }
  }

  TEST_CASE("the plateau goes on where the saved one was") {
    const auto options = ReduceLROnPlateauOptions().patience(1).factor(0.5).cooldown(2);
    for (const int stop : {0, 3, 4, 6}) {
      SGD optimizer = recorded::two_groups(), other = recorded::two_groups(7.0);
      ReduceLROnPlateau whole(optimizer, options), resumed(other, options);
      for (int i = 0; i < stop; ++i) whole.step(1.0);
      resumed.step(0.1);
      pass(optimizer, other);
      pass(whole, resumed);
      CHECK(resumed.state().best == whole.state().best);
      for (int i = 0; i < 10; ++i) {
        whole.step(1.0 + i % 2);
        resumed.step(1.0 + i % 2);
        REQUIRE(recorded::lrs_of(other) == recorded::lrs_of(optimizer));
        REQUIRE(resumed.state().num_bad_epochs == whole.state().num_bad_epochs);
        REQUIRE(resumed.in_cooldown() == whole.in_cooldown());
      }
      CHECK(resumed.state().last_epoch == stop + 10);
    }
  }

  TEST_CASE("what was saved for another number of groups is refused, and nothing changes") {
    SGD optimizer = recorded::two_groups(), one({etude::zeros({1})}, SGDOptions(0.5));
    StepLR saved(optimizer, 1), loaded(one, 1);
    saved.step();
    CHECK(refusal_text([&] { pass(saved, loaded); }) == "expected 1 values for base_lrs, got 2");
    CHECK(loaded.last_epoch() == -1);
    serialize::InputArchive nothing;
    CHECK(refusal_text([&] { loaded.load(nothing); }) ==
          "the archive does not have a field with name '_step_count'");
    ReduceLROnPlateau plateau(one);
    CHECK(refusal_text([&] { plateau.load(nothing); }) ==
          "the archive does not have a field with name 'best'");
  }
}
