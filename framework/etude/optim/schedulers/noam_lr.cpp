#include "etude/optim/schedulers/noam_lr.h"

#include <algorithm>
#include <cmath>

#include "etude/core/error.h"

namespace etude::optim {

NoamLR::NoamLR(Optimizer& optimizer, int64_t d_model, int64_t warmup, double factor)
    : LRScheduler(optimizer),
      scale_(factor / std::sqrt(static_cast<double>(d_model))),
      warmup_(static_cast<double>(warmup)) {
  ETUDE_CHECK_VALUE(d_model > 0, "Expected positive integer d_model, but got ", d_model);
  ETUDE_CHECK_VALUE(warmup > 0, "Expected positive integer warmup, but got ", warmup);
  LRScheduler::step();
}

std::vector<double> NoamLR::get_lrs() {
  const double step = static_cast<double>(step_count_) + 1;
  const double lr = scale_ * std::min(1 / std::sqrt(step), step * std::pow(warmup_, -1.5));
  return std::vector<double>(base_lrs().size(), lr);
}

}  // namespace etude::optim
