#include "etude/optim/schedulers/lr_scheduler.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "etude/core/error.h"
#include "etude/optim/named_values.h"

namespace etude::optim {

LRScheduler::LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {
  for (const OptimizerParamGroup& group : optimizer.param_groups())
    base_lrs_.push_back(group.initial_lr() ? *group.initial_lr() : group.options().get_lr());
  last_lrs_ = get_current_lrs();
}

void LRScheduler::step() {
  std::vector<double> lrs = get_lrs();
  std::vector<OptimizerParamGroup>& groups = optimizer_.param_groups();
  for (size_t i = 0; i < std::min(groups.size(), base_lrs_.size()); ++i)
    if (!groups[i].initial_lr()) groups[i].set_initial_lr(base_lrs_[i]);
  ETUDE_CHECK(lrs.size() == groups.size(),
              "Number of learning rates not equal to the number of param groups\n",
              "Number of learning rates given: ", lrs.size(), "\nNumber of param groups: ", groups.size());
  for (size_t i = 0; i < groups.size(); ++i) groups[i].options().set_lr(lrs[i]);
  last_lrs_ = std::move(lrs);
  ++step_count_;
}

// The range of epochs that can be saved and loaded.
void LRScheduler::set_last_epoch(int64_t epoch) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max() - 1;
  ETUDE_CHECK_VALUE(-1 <= epoch && epoch <= most, "expected an epoch from -1 to ", most,
                    " for last_epoch, got ", epoch, "\nhint: -1 stands for a schedule before its first step");
  step_count_ = static_cast<unsigned>(epoch + 1);
}

void LRScheduler::set_base_lrs(std::vector<double> lrs) {
  ETUDE_CHECK_VALUE(lrs.size() == base_lrs_.size(), "expected ", base_lrs_.size(),
                    " values for base_lrs, got ", lrs.size());
  base_lrs_ = std::move(lrs);
}

void LRScheduler::name_values(NamedValues& values) {
  values("_step_count", step_count_);
  values("base_lrs", base_lrs_);
  values("_last_lr", last_lrs_);
}

void LRScheduler::save(serialize::OutputArchive& archive) const { save_values(archive, *this); }
void LRScheduler::load(serialize::InputArchive& archive) { load_values(archive, *this); }

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> lrs;
  for (const OptimizerParamGroup& group : optimizer_.param_groups()) lrs.push_back(group.options().get_lr());
  return lrs;
}

std::vector<double> FactorLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  for (double& lr : lrs) lr *= factor();
  return lrs;
}

}  // namespace etude::optim
