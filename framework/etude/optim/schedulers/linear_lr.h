#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// Multiplies the learning rates by a factor that goes from start_factor to end_factor in total_iters epochs,
/// in a straight line, and stays there (Python's LinearLR). Each epoch multiplies what the optimizer has, so
/// that schedules chain.
class ETUDE_API LinearLR : public FactorLR {
 public:
  LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1.0,
           int64_t total_iters = 5);

 private:
  double factor() const override;

  const double start_factor_, end_factor_;
  const int64_t total_iters_;
};

}  // namespace etude::optim
