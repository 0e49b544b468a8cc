#pragma once

#include "etude/core/error.h"
#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// Multiplies the learning rates by a factor that changes linearly from start_factor to end_factor over total_iters
/// epochs and then stays (Python's LinearLR). Each epoch scales the optimizer's current values, so that schedulers chain.
class ETUDE_API LinearLR : public FactorLR {
 public:
  LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1.0,
           int64_t total_iters = 5)
      : FactorLR(optimizer), start_factor_(start_factor), end_factor_(end_factor), total_iters_(total_iters) {
    ETUDE_CHECK_VALUE(0 <= start_factor && start_factor <= 1,
                      "Starting multiplicative factor expected to be between 0 and 1.\nreceived ",
                      start_factor);
    ETUDE_CHECK_VALUE(0 <= end_factor && end_factor <= 1,
                      "Ending multiplicative factor expected to be between 0 and 1.\nreceived ", end_factor);
    step();
  }

 private:
  double factor() const override {
    if (step_count_ == 0) return start_factor_;
    if (step_count_ > total_iters_) return 1;
    const double rise = end_factor_ - start_factor_;
    const double before =
        static_cast<double>(total_iters_) * start_factor_ + (static_cast<double>(step_count_) - 1) * rise;
    ETUDE_CHECK_VALUE(before != 0,
                      "float division by zero\nhint: a start_factor of 0 has no multiple; take a small one");
    return 1 + rise / before;
  }

  const double start_factor_, end_factor_;
  const int64_t total_iters_;
};

}  // namespace etude::optim
