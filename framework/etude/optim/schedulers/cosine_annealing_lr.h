#pragma once

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// lr = eta_min + (base_lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2 (Loshchilov and Hutter, 2017, without restarts;
/// Python's CosineAnnealingLR). Each epoch starts from the optimizer's current values, so that schedulers chain.
class ETUDE_API CosineAnnealingLR : public LRScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, int64_t T_max, double eta_min = 0);

 private:
  std::vector<double> get_lrs() override;

  const int64_t T_max_;
  const double eta_min_;
};

}  // namespace etude::optim
