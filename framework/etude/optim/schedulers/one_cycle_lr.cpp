#include "etude/optim/schedulers/one_cycle_lr.h"

#include <cmath>
#include <tuple>

#include "etude/core/detail/constants.h"
#include "etude/optim/adam.h"
#include "etude/optim/adamw.h"
#include "etude/optim/rmsprop.h"
#include "etude/optim/sgd.h"

namespace etude::optim {

namespace {

// Sets the momentum, or the first beta. Returns whether the options have one.
bool set_momentum_of(OptimizerOptions& options, double value) {
  if (auto* sgd = dynamic_cast<SGDOptions*>(&options)) sgd->momentum(value);
  else if (auto* rmsprop = dynamic_cast<RMSpropOptions*>(&options)) rmsprop->momentum(value);
  else if (auto* adam = dynamic_cast<AdamOptions*>(&options)) std::get<0>(adam->betas()) = value;
  else if (auto* adamw = dynamic_cast<AdamWOptions*>(&options)) std::get<0>(adamw->betas()) = value;
  else return false;
  return true;
}

void check(const OneCycleLROptions& options) {
  ETUDE_CHECK_VALUE(options.total_steps() > 0, "Expected positive integer total_steps, but got ",
                    options.total_steps());
  ETUDE_CHECK_VALUE(0 <= options.pct_start() && options.pct_start() <= 1,
                    "Expected float between 0 and 1 pct_start, but got ", options.pct_start());
  ETUDE_CHECK_VALUE(options.anneal_strategy() == "cos" || options.anneal_strategy() == "linear",
                    "anneal_strategy must by one of 'cos' or 'linear', instead got ",
                    options.anneal_strategy());
  ETUDE_CHECK_VALUE(options.div_factor() != 0 && options.final_div_factor() != 0,
                    "float division by zero\nreceived div_factor ", options.div_factor(),
                    ", final_div_factor ", options.final_div_factor());
}

}  // namespace

OneCycleLR::OneCycleLR(Optimizer& optimizer, const OneCycleLROptions& options)
    : LRScheduler(optimizer),
      linear_(options.anneal_strategy() == "linear"),
      cycle_momentum_(options.cycle_momentum()),
      total_steps_(options.total_steps()) {
  check(options);
  const double rise = options.pct_start() * static_cast<double>(total_steps_);
  const double end = static_cast<double>(total_steps_) - 1;
  if (options.three_phase()) phases_ = {{rise - 1, 0, 1}, {2 * rise - 2, 1, 0}, {end, 0, 2}};
  else phases_ = {{rise - 1, 0, 1}, {end, 1, 2}};

  std::vector<OptimizerParamGroup>& groups = optimizer.param_groups();
  levels_[1] = options.max_lr().of(groups.size(), "values for max_lr");
  for (size_t i = 0; i < groups.size(); ++i) {
    levels_[0].push_back(levels_[1][i] / options.div_factor());
    levels_[2].push_back(levels_[0][i] / options.final_div_factor());
    groups[i].set_initial_lr(levels_[0][i]);
  }
  set_base_lrs(levels_[0]);
  if (cycle_momentum_) {
    const std::vector<double> most = options.max_momentum().of(groups.size(), "values for max_momentum");
    momentums_[0] = momentums_[2] = most;
    momentums_[1] = options.base_momentum().of(groups.size(), "values for base_momentum");
    for (size_t i = 0; i < groups.size(); ++i) set_momentum(i, most[i]);
  }
  step();
}

void OneCycleLR::set_momentum(size_t group, double momentum) {
  ETUDE_CHECK_VALUE(set_momentum_of(optimizer().param_groups()[group].options(), momentum),
                    "optimizer must support momentum with `cycle_momentum` option enabled");
}

// Interpolates from start to end while part goes from 0 to 1.
double OneCycleLR::between(double start, double end, double part) const {
  if (linear_) return (end - start) * part + start;
  return end + (start - end) / 2 * (std::cos(etude::detail::kPi * part) + 1);
}

std::vector<double> OneCycleLR::get_lrs() {
  const auto now = static_cast<double>(step_count_);
  ETUDE_CHECK_VALUE(step_count_ <= total_steps_, "Tried to step ", step_count_ + 1,
                    " times. The specified number of total steps is ", total_steps_);
  double start = 0;
  size_t p = 0;
  for (; p + 1 < phases_.size() && now > phases_[p].end_step; ++p) start = phases_[p].end_step;
  const Phase& phase = phases_[p];
  ETUDE_CHECK_VALUE(phase.end_step != start,
                    "float division by zero\nhint: a phase of the cycle has one step; pct_start * "
                    "total_steps should be more");
  const double part = (now - start) / (phase.end_step - start);
  std::vector<double> lrs;
  const size_t groups = optimizer().param_groups().size();
  ETUDE_CHECK(groups == levels_[0].size(),
              "Number of learning rates not equal to the number of param groups\n",
              "Number of learning rates given: ", levels_[0].size(), "\nNumber of param groups: ", groups);
  for (size_t i = 0; i < levels_[0].size(); ++i) {
    lrs.push_back(between(levels_[phase.from][i], levels_[phase.to][i], part));
    if (cycle_momentum_) set_momentum(i, between(momentums_[phase.from][i], momentums_[phase.to][i], part));
  }
  return lrs;
}

}  // namespace etude::optim
