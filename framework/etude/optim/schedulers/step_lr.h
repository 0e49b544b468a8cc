#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude {
namespace optim {

/// Multiplies the learning rates by gamma every step_size epochs (torch::optim::StepLR).
class ETUDE_API StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);
  ~StepLR() override;

 private:
  std::vector<double> get_lrs() override;

  const unsigned step_size_;
  const double gamma_;
};

}  // namespace optim
}  // namespace etude
