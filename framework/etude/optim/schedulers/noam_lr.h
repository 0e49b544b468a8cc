#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// The warm-up of the transformer (Vaswani et al., 2017, section 5.3), whatever the learning rates were
/// before:
///
///   lr = factor * d_model^-0.5 * min(step^-0.5, step * warmup^-1.5)
///
/// where step = epoch + 1 counts the optimizer's steps from 1. It rises in a straight line for `warmup` steps
/// and falls with the root of their number from then on.
class ETUDE_API NoamLR : public LRScheduler {
 public:
  NoamLR(Optimizer& optimizer, int64_t d_model, int64_t warmup = 4000, double factor = 1);

 private:
  std::vector<double> get_lrs() override;

  const double scale_, warmup_;
};

}  // namespace etude::optim
