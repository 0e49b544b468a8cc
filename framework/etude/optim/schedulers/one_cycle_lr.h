#pragma once

#include <string>

#include "etude/nn/arg.h"
#include "etude/optim/schedulers/lr_scheduler.h"
#include "etude/optim/schedulers/per_group.h"

namespace etude::optim {

struct ETUDE_API OneCycleLROptions {
  OneCycleLROptions(PerGroup max_lr, int64_t total_steps)
      : max_lr_(std::move(max_lr)), total_steps_(total_steps) {}
  ETUDE_ARG(PerGroup, max_lr);
  ETUDE_ARG(int64_t, total_steps);
  /// The part of the steps in which the learning rate rises.
  ETUDE_ARG(double, pct_start) = 0.3;
  /// "cos" or "linear".
  ETUDE_ARG(std::string, anneal_strategy) = "cos";
  /// Whether the momentum, or the first of the betas, falls where the learning rate rises.
  ETUDE_ARG(bool, cycle_momentum) = true;
  ETUDE_ARG(PerGroup, base_momentum) = 0.85;
  ETUDE_ARG(PerGroup, max_momentum) = 0.95;
  /// The learning rate starts at max_lr / div_factor ...
  ETUDE_ARG(double, div_factor) = 25;
  /// ... and ends at that over final_div_factor.
  ETUDE_ARG(double, final_div_factor) = 1e4;
  /// Falls as it rose first, and then to the end.
  ETUDE_ARG(bool, three_phase) = false;
};

/// One rise of the learning rate and one fall, with the momentum the other way round (Smith and Topin, 2018;
/// Python's OneCycleLR). One step() belongs to each of total_steps steps of the optimizer; more are refused.
class ETUDE_API OneCycleLR : public LRScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, const OneCycleLROptions& options);
  OneCycleLR(const OneCycleLR&) = default;  // a move copies, as it does with other schedules

 private:
  /// Ends at end_step; level 0 is the start, 1 the top, 2 the end of learning rates.
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
