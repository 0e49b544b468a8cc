#pragma once

#include <string>

#include "etude/nn/arg.h"
#include "etude/optim/schedulers/lr_scheduler.h"
#include "etude/optim/schedulers/per_group.h"

namespace etude::optim {

struct ETUDE_API OneCycleLROptions {
  OneCycleLROptions(PerGroup max_lr, int64_t total_steps)
      : max_lr_(std::move(max_lr)), total_steps_(total_steps) {}
  /// The highest learning rate: one for all groups, or one for each.
  ETUDE_ARG(PerGroup, max_lr);
  /// The number of optimizer steps in the cycle.
  ETUDE_ARG(int64_t, total_steps);
  /// The fraction of the steps in which the learning rate rises.
  ETUDE_ARG(double, pct_start) = 0.3;
  /// "cos" or "linear".
  ETUDE_ARG(std::string, anneal_strategy) = "cos";
  /// Whether the momentum, or the first beta, falls while the learning rate rises.
  ETUDE_ARG(bool, cycle_momentum) = true;
  /// The momentum where the learning rate is highest.
  ETUDE_ARG(PerGroup, base_momentum) = 0.85;
  /// The momentum at the start and at the end.
  ETUDE_ARG(PerGroup, max_momentum) = 0.95;
  /// The learning rate starts at max_lr / div_factor.
  ETUDE_ARG(double, div_factor) = 25;
  /// It ends at its start divided by final_div_factor.
  ETUDE_ARG(double, final_div_factor) = 1e4;
  /// Whether the fall mirrors the rise, and a third phase leads to the end.
  ETUDE_ARG(bool, three_phase) = false;
};

/// One rise and one fall of the learning rate, with the momentum moving the opposite way (Smith and Topin,
/// 2018; Python's OneCycleLR). Call step() once for each of total_steps optimizer steps; more calls throw.
class ETUDE_API OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, const OneCycleLROptions& options);
  OneCycleLR(const OneCycleLR&) = default;  // moving copies, as for other schedulers

 private:
  /// Ends at end_step; levels are 0 for the start, 1 for the top, 2 for the end of the learning rates.
  struct Phase {
    double end_step;
    size_t from, to;
  };

  std::vector<double> get_lrs() override;
  double between(double start, double end, double part) const;
  void set_momentum(size_t group, double momentum);

  const bool linear_, cycle_momentum_;
  const int64_t total_steps_;
  std::vector<Phase> phases_;
  std::vector<double> levels_[3];     // learning rates of each group
  std::vector<double> momentums_[3];  // the same for the momentum
};

}  // namespace etude::optim
