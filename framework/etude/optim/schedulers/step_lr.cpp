#include "etude/optim/schedulers/step_lr.h"

#include "etude/core/error.h"

namespace etude {
namespace optim {

StepLR::StepLR(Optimizer& optimizer, unsigned step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
  ETUDE_CHECK_VALUE(step_size > 0, "Expected positive integer step_size, but got 0");
}

StepLR::~StepLR() = default;

std::vector<double> StepLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  if (step_count_ > 0 && step_count_ % step_size_ == 0)
    for (double& lr : lrs) lr *= gamma_;
  return lrs;
}

}  // namespace optim
}  // namespace etude
