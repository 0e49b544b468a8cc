#pragma once

#include <vector>

#include "etude/optim/sgd.h"
#include "framework/optim/recorded.h"
#include "support/any_function.h"

namespace recorded {

/// The groups of make.py, with learning rate 0.1 (or another one) and half of it.
inline std::vector<etude::optim::OptimizerParamGroup> groups() {
  std::vector<etude::optim::OptimizerParamGroup> result;
  for (int i = 0; i < 2; ++i) result.emplace_back(std::vector<Tensor>{etude::zeros({1}).requires_grad_()});
  return result;
}

inline etude::optim::SGD two_groups(double lr = 0.1) {
  etude::optim::SGD optimizer(groups(), etude::optim::SGDOptions(lr).momentum(0.9));
  optimizer.param_groups()[1].options().set_lr(lr / 2);
  return optimizer;
}

inline std::vector<double> lrs_of(const etude::optim::Optimizer& optimizer) {
  std::vector<double> lrs;
  for (const auto& group : optimizer.param_groups()) lrs.push_back(group.options().get_lr());
  return lrs;
}

inline void check_close(const std::vector<double>& found, const Recorded& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    CHECK(std::fabs(found[i] - expected[i].get<double>()) <= 1e-12 * std::fabs(expected[i].get<double>()));
}

/// Checks the learning rates of 60 epochs against the recording of this name; step() moves to the next
/// epoch.
inline void check_lrs(const std::string& name, const etude::optim::Optimizer& optimizer,
                      const etude::AnyFunction<void()>& step) {
  const Recorded& expected = optim().at("schedules").at(name).at("lrs");
  CHECK(expected.size() == 60);
  for (size_t epoch = 0; epoch < expected.size(); ++epoch) {
    CAPTURE(name);
    CAPTURE(epoch);
    check_close(lrs_of(optimizer), expected[epoch]);
    if (epoch + 1 < expected.size()) step();
  }
}

}  // namespace recorded
