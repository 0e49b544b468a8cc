#include "etude/optim/schedulers/linear_lr.h"

#include "etude/core/error.h"

namespace etude::optim {

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor, int64_t total_iters)
    : FactorLR(optimizer), start_factor_(start_factor), end_factor_(end_factor), total_iters_(total_iters) {
  ETUDE_CHECK_VALUE(0 <= start_factor && start_factor <= 1,
                    "Starting multiplicative factor expected to be between 0 and 1.\nreceived ",
                    start_factor);
  ETUDE_CHECK_VALUE(0 <= end_factor && end_factor <= 1,
                    "Ending multiplicative factor expected to be between 0 and 1.\nreceived ", end_factor);
  step();
}

double LinearLR::factor() const {
  const int64_t epoch = step_count_;
  if (epoch == 0) return start_factor_;
  if (epoch > total_iters_) return 1;
  const double rise = end_factor_ - start_factor_;
  const double before =
      static_cast<double>(total_iters_) * start_factor_ + static_cast<double>(epoch - 1) * rise;
  ETUDE_CHECK_VALUE(before != 0,
                    "float division by zero\nhint: a start_factor of 0 has no multiple; take a small one");
  return 1 + rise / before;
}

}  // namespace etude::optim
