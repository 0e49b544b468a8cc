#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude {
namespace optim {

/// Multiplies the learning rates by gamma every epoch (Python's ExponentialLR).
class ETUDE_API ExponentialLR : public LRScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);
  ~ExponentialLR() override;

 private:
  std::vector<double> get_lrs() override;

  const double gamma_;
};

}  // namespace optim
}  // namespace etude
