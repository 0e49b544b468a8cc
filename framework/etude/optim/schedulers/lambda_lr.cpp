#include "etude/optim/schedulers/lambda_lr.h"

#include <utility>

#include "etude/core/error.h"

namespace etude::optim {

LambdaLR::LambdaLR(Optimizer& optimizer, const Lambda& lr_lambda)
    : LambdaLR(optimizer, std::vector<Lambda>(optimizer.param_groups().size(), lr_lambda)) {}

LambdaLR::LambdaLR(Optimizer& optimizer, std::vector<Lambda> lr_lambdas)
    : LRScheduler(optimizer), lr_lambdas_(std::move(lr_lambdas)) {
  ETUDE_CHECK_VALUE(lr_lambdas_.size() == base_lrs().size(), "Expected ", base_lrs().size(),
                    " lr_lambdas, but got ", lr_lambdas_.size());
  step();
}

std::vector<double> LambdaLR::get_lrs() {
  std::vector<double> lrs = base_lrs();
  for (size_t i = 0; i < lrs.size(); ++i) lrs[i] *= lr_lambdas_[i](step_count_);
  return lrs;
}

}  // namespace etude::optim
