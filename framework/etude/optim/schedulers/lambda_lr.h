#pragma once

#include <functional>

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// lr = base_lr * lr_lambda(epoch), with one function for all groups or one for each (Python's LambdaLR).
class ETUDE_API LambdaLR : public LRScheduler {
 public:
  using Lambda = std::function<double(int64_t)>;

  LambdaLR(Optimizer& optimizer, const Lambda& lr_lambda);
  LambdaLR(Optimizer& optimizer, std::vector<Lambda> lr_lambdas);

 private:
  std::vector<double> get_lrs() override;

  const std::vector<Lambda> lr_lambdas_;
};

}  // namespace etude::optim
