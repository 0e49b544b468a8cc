#include "etude/optim/schedulers/reduce_lr_on_plateau.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <utility>

#include "etude/core/error.h"
#include "etude/optim/named_values.h"

namespace etude::optim {

static void check(const ReduceLROnPlateauOptions& options) {
  ETUDE_CHECK_VALUE(options.factor() < 1, "Factor should be < 1.0.\nreceived ", options.factor());
  ETUDE_CHECK_VALUE(options.mode() == "min" || options.mode() == "max", "mode ", options.mode(),
                    " is unknown!");
  ETUDE_CHECK_VALUE(options.threshold_mode() == "rel" || options.threshold_mode() == "abs", "threshold mode ",
                    options.threshold_mode(), " is unknown!");
}

ReduceLROnPlateau::ReduceLROnPlateau(Optimizer& optimizer, ReduceLROnPlateauOptions options)
    : optimizer_(optimizer),
      options_(std::move(options)),
      min_lrs_(options_.min_lr().of(optimizer.param_groups().size(), "min_lrs")),
      state_{std::numeric_limits<double>::infinity(), 0, 0, 0} {
  check(options_);
  if (options_.mode() == "max") state_.best = -state_.best;
}

void ReduceLROnPlateau::step(double metric) {
  ++state_.last_epoch;
  const bool is_good = is_better(metric);
  if (is_good) state_.best = metric;
  state_.num_bad_epochs = is_good || in_cooldown() ? 0 : state_.num_bad_epochs + 1;
  if (in_cooldown()) --state_.cooldown_counter;
  if (state_.num_bad_epochs > options_.patience()) {
    reduce_lrs();
    state_.cooldown_counter = options_.cooldown();
    state_.num_bad_epochs = 0;
  }
}

void ReduceLROnPlateau::name_values(NamedValues& values) {
  values("best", state_.best);
  values("num_bad_epochs", state_.num_bad_epochs);
  values("cooldown_counter", state_.cooldown_counter);
  values("last_epoch", state_.last_epoch);
}

void ReduceLROnPlateau::save(serialize::OutputArchive& archive) const { save_values(archive, *this); }
void ReduceLROnPlateau::load(serialize::InputArchive& archive) { load_values(archive, *this); }

bool ReduceLROnPlateau::is_better(double metric) const {
  const bool relative = options_.threshold_mode() == "rel";
  const double best = state_.best, threshold = options_.threshold();
  if (options_.mode() == "min") return metric < (relative ? best * (1 - threshold) : best - threshold);
  return metric > (relative ? best * (threshold + 1) : best + threshold);
}

void ReduceLROnPlateau::reduce_lrs() {
  std::vector<OptimizerParamGroup>& groups = optimizer_.param_groups();
  ETUDE_CHECK(groups.size() == min_lrs_.size(), "ReduceLROnPlateau was made for ", min_lrs_.size(),
              " param groups, now there are ", groups.size());
  for (size_t i = 0; i < groups.size(); ++i) {
    OptimizerOptions& options = groups[i].options();
    const double lr = options.get_lr(), reduced = std::max(lr * options_.factor(), min_lrs_[i]);
    if (!(lr - reduced > options_.eps())) continue;
    options.set_lr(reduced);
    if (verbose_)
      std::cout << std::setprecision(4) << "Epoch " << state_.last_epoch
                << ": reducing learning rate of group " << i << " to " << reduced << std::endl;
  }
}

static ReduceLROnPlateauOptions options_of(const Optimizer& optimizer, const std::vector<float>& min_lr) {
  ReduceLROnPlateauOptions options;
  if (!min_lr.empty()) {
    ETUDE_CHECK(min_lr.size() == optimizer.param_groups().size(),
                "Number of learning rates not equal to the number of param groups\nreceived ", min_lr.size(),
                " for ", optimizer.param_groups().size(), " groups");
    options.min_lr(std::vector<double>(min_lr.begin(), min_lr.end()));
  }
  return options;
}

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode, float factor,
                                                       int patience, double threshold,
                                                       ThresholdMode threshold_mode, int cooldown,
                                                       const std::vector<float>& min_lr, double eps,
                                                       bool verbose)
    : ReduceLROnPlateau(optimizer, options_of(optimizer, min_lr)
                                       .mode(mode == min ? "min" : "max")
                                       .factor(factor)
                                       .patience(patience)
                                       .threshold(threshold)
                                       .threshold_mode(threshold_mode == rel ? "rel" : "abs")
                                       .cooldown(cooldown)
                                       .eps(eps)) {
  verbose_ = verbose;
}

}  // namespace etude::optim
