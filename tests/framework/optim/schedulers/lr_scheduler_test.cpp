#include "etude/optim/schedulers/lr_scheduler.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "etude/optim/sgd.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::optim;

TEST_SUITE("LRScheduler") {
  namespace {

  // Learning rates 0.5, 0.25, ... for the first group, and twice these rates for the others.
  class Halving : public LRScheduler {
   public:
    explicit Halving(Optimizer& optimizer) : LRScheduler(optimizer) {}
    std::vector<double> seen;

   private:
    std::vector<double> get_lrs() override {
      seen.push_back(get_current_lrs().at(0));
      const double lr = std::pow(0.5, step_count_ + 1);
      return {lr, 2 * lr};
    }
  };

  std::vector<OptimizerParamGroup> two_groups() {
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{etude::ones({1}).requires_grad_()});
    groups.emplace_back(std::vector<Tensor>{etude::ones({1}).requires_grad_()});
    return groups;
  }

  }  // namespace

  TEST_CASE("sets what a subclass computes, for each group, and counts its steps") {
    SGD optimizer(two_groups(), 3.0);
    Halving schedule(optimizer);
    CHECK(optimizer.param_groups()[0].options().get_lr() == 3);
    schedule.step();
    CHECK(optimizer.param_groups()[0].options().get_lr() == 0.5);
    CHECK(optimizer.param_groups()[1].options().get_lr() == 1);
    schedule.step();
    CHECK(optimizer.param_groups()[0].options().get_lr() == 0.25);
    CHECK(schedule.seen == std::vector<double>{3, 0.5});
    CHECK(optimizer.defaults().get_lr() == 3);
  }

  TEST_CASE("refuses another number of learning rates than there are groups") {
    SGD optimizer({etude::ones({1}).requires_grad_()}, 3.0);
    Halving schedule(optimizer);
    CHECK(refusal([&] { schedule.step(); }) ==
          "Error: Number of learning rates not equal to the number of param groups");
    CHECK(optimizer.param_groups()[0].options().get_lr() == 3);
  }
}
