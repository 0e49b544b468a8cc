#include "etude/optim/schedulers/cosine_annealing_lr.h"

#include <cmath>

#include "etude/core/detail/constants.h"
#include "etude/core/error.h"

namespace etude::optim {

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, int64_t T_max, double eta_min)
    : LRScheduler(optimizer), T_max_(T_max), eta_min_(eta_min) {
  ETUDE_CHECK_VALUE(T_max > 0, "Expected positive integer T_max, but got ", T_max);
  step();
}

std::vector<double> CosineAnnealingLR::get_lrs() {
  const int64_t epoch = step_count_;
  std::vector<double> lrs = get_current_lrs();
  ETUDE_CHECK(lrs.size() == base_lrs().size(), "CosineAnnealingLR was made for ", base_lrs().size(),
              " param groups, now there are ", lrs.size());
  if (epoch == 0) return lrs;
  const auto period = static_cast<double>(T_max_);
  auto height = [=](int64_t e) { return 1 + std::cos(etude::detail::kPi * static_cast<double>(e) / period); };
  // At the minimum lr - eta_min is 0, so it cannot be scaled.
  const bool from_bottom = (epoch - 1 - T_max_) % (2 * T_max_) == 0;
  for (size_t i = 0; i < lrs.size(); ++i) {
    if (from_bottom) lrs[i] += (base_lrs()[i] - eta_min_) * (1 - std::cos(etude::detail::kPi / period)) / 2;
    else lrs[i] = height(epoch) / height(epoch - 1) * (lrs[i] - eta_min_) + eta_min_;
  }
  return lrs;
}

}  // namespace etude::optim
