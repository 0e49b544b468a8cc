#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// Multiplies the learning rates by gamma every epoch (Python's ExponentialLR).
class ETUDE_API ExponentialLR : public FactorLR {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma) : FactorLR(optimizer), gamma_(gamma) { step(); }

 private:
  double factor() const override { return step_count_ > 0 ? gamma_ : 1; }

  const double gamma_;
};

}  // namespace etude::optim
