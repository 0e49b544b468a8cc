#include "etude/optim/schedulers/multi_step_lr.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace etude {
namespace optim {

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma)
    : LRScheduler(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  step();
}

MultiStepLR::~MultiStepLR() = default;

std::vector<double> MultiStepLR::get_lrs() {
  const auto times = std::count(milestones_.begin(), milestones_.end(), static_cast<int64_t>(step_count_));
  std::vector<double> lrs = get_current_lrs();
  if (times > 0)
    for (double& lr : lrs) lr *= std::pow(gamma_, times);
  return lrs;
}

}  // namespace optim
}  // namespace etude
