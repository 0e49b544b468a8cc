#pragma once

#include <cmath>

#include "etude/core/error.h"
#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// The warm-up of the transformer (Vaswani et al., 2017, section 5.3); it ignores previous learning rates:
///
///   lr = factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)
///
/// where step = epoch + 1 counts the optimizer's steps from 1. lr rises linearly for `warmup` steps, then
/// falls with the inverse square root of step.
class ETUDE_API NoamLR : public LRScheduler {
 public:
  NoamLR(Optimizer& optimizer, int64_t d_model, int64_t warmup = 4000, double factor = 1)
      : LRScheduler(optimizer),
        scale_(factor / std::sqrt(static_cast<double>(d_model))),
        warmup_(static_cast<double>(warmup)) {
    ETUDE_CHECK_VALUE(d_model > 0, "Expected positive integer d_model, but got ", d_model);
    ETUDE_CHECK_VALUE(warmup > 0, "Expected positive integer warmup, but got ", warmup);
    LRScheduler::step();
  }

 private:
  std::vector<double> get_lrs() override {
    const double step = static_cast<double>(step_count_) + 1;
    const double rise = step * std::pow(warmup_, -1.5), fall = 1 / std::sqrt(step);
    return std::vector<double>(base_lrs().size(), scale_ * (rise < fall ? rise : fall));
  }

  const double scale_, warmup_;
};

}  // namespace etude::optim
