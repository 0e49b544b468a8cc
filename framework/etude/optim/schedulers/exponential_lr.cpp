#include "etude/optim/schedulers/exponential_lr.h"

namespace etude {
namespace optim {

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma) : LRScheduler(optimizer), gamma_(gamma) {
  step();
}

ExponentialLR::~ExponentialLR() = default;

std::vector<double> ExponentialLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  if (step_count_ > 0)
    for (double& lr : lrs) lr *= gamma_;
  return lrs;
}

}  // namespace optim
}  // namespace etude
