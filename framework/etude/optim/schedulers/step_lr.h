#pragma once

#include "etude/core/error.h"
#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// Multiplies the learning rates by gamma every step_size epochs (torch::optim::StepLR).
class ETUDE_API StepLR : public FactorLR {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
      : FactorLR(optimizer), step_size_(step_size), gamma_(gamma) {
    ETUDE_CHECK_VALUE(step_size > 0, "Expected positive integer step_size, but got 0");
  }

 private:
  double factor() const override { return step_count_ > 0 && step_count_ % step_size_ == 0 ? gamma_ : 1; }

  const unsigned step_size_;
  const double gamma_;
};

}  // namespace etude::optim
