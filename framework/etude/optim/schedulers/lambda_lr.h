#pragma once

#include <functional>
#include <utility>

#include "etude/core/error.h"
#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// lr = base_lr * lr_lambda(epoch), with one function for all groups or one for each (Python's LambdaLR).
class ETUDE_API LambdaLR : public LRScheduler {
 public:
  using Lambda = std::function<double(int64_t)>;

  LambdaLR(Optimizer& optimizer, const Lambda& lr_lambda)
      : LambdaLR(optimizer, std::vector<Lambda>(optimizer.param_groups().size(), lr_lambda)) {}
  LambdaLR(Optimizer& optimizer, std::vector<Lambda> lr_lambdas)
      : LRScheduler(optimizer), lr_lambdas_(std::move(lr_lambdas)) {
    ETUDE_CHECK_VALUE(lr_lambdas_.size() == base_lrs().size(), "Expected ", base_lrs().size(),
                      " lr_lambdas, but got ", lr_lambdas_.size());
    step();
  }

 private:
  std::vector<double> get_lrs() override {
    std::vector<double> lrs = base_lrs();
    for (size_t i = 0; i < lrs.size(); ++i) lrs[i] *= lr_lambdas_[i](step_count_);
    return lrs;
  }

  const std::vector<Lambda> lr_lambdas_;
};

}  // namespace etude::optim
