#pragma once

#include <cmath>
#include <utility>

#include "etude/optim/schedulers/lr_scheduler.h"

namespace etude::optim {

/// Multiplies the learning rates by gamma at every epoch in milestones, twice at one listed twice (Python's MultiStepLR).
class ETUDE_API MultiStepLR : public FactorLR {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<int64_t> milestones, double gamma = 0.1)
      : FactorLR(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
    step();
  }

 private:
  double factor() const override {
    int times = 0;
    for (const int64_t epoch : milestones_) times += epoch == step_count_;
    return std::pow(gamma_, times);
  }

  const std::vector<int64_t> milestones_;
  const double gamma_;
};

}  // namespace etude::optim
