#include "etude/optim/schedulers/multi_step_lr.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace etude::optim {

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma)
    : FactorLR(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  step();
}

double MultiStepLR::factor() const {
  return std::pow(gamma_,
                  std::count(milestones_.begin(), milestones_.end(), static_cast<int64_t>(step_count_)));
}

}  // namespace etude::optim
