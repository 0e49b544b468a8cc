#pragma once

#include <cstdint>
#include <vector>

#include "etude/optim/optimizer.h"

namespace etude::optim {

/// The base of schedules, which set the learning rates of an optimizer's groups (torch::optim::LRScheduler).
/// It keeps a reference to the optimizer.
///
/// Call step() after the optimizer's. StepLR changes nothing when it is made, so that its first step() is
/// that of epoch 0, as in LibTorch. The schedules that only Python has make that step when they are made, as
/// in Python: after n calls of step() the learning rates are those of epoch n.
///
/// A schedule is resumed by making it anew, with the same arguments, and loading what the old one saved; the
/// optimizer's learning rates belong to the optimizer.
class ETUDE_API LRScheduler {
 public:
  LRScheduler(Optimizer& optimizer);
  LRScheduler(const LRScheduler&) = default;
  virtual ~LRScheduler() = default;

  /// Sets the learning rates of the next epoch.
  void step();

  /// The epoch whose learning rates step() set last; -1 before the first.
  int64_t last_epoch() const { return static_cast<int64_t>(step_count_) - 1; }
  /// From -1 to 2^31 - 2.
  void set_last_epoch(int64_t epoch);
  /// The learning rates that step() set last.
  const std::vector<double>& get_last_lr() const { return last_lrs_; }
  /// What the groups had before the first schedule of their optimizer.
  const std::vector<double>& base_lrs() const { return base_lrs_; }
  void set_base_lrs(std::vector<double> lrs);

  /// Lists what is saved: where the schedule stands, not its arguments. One of one's own adds what more it remembers.
  virtual void name_values(NamedValues& values);
  void save(serialize::OutputArchive& archive) const;
  /// An error changes nothing.
  void load(serialize::InputArchive& archive);

 protected:
  /// The learning rate of each group for the epoch step_count_.
  virtual std::vector<double> get_lrs() = 0;
  /// Those that the optimizer has now.
  std::vector<double> get_current_lrs() const;
  Optimizer& optimizer() const { return optimizer_; }

  unsigned step_count_ = 0;

 private:
  void set_optimizer_lrs(const std::vector<double>& learning_rates);

  Optimizer& optimizer_;
  std::vector<double> base_lrs_, last_lrs_;
};

/// The base of schedules that multiply what the optimizer has by a factor, so that they chain.
class ETUDE_API FactorLR : public LRScheduler {
 protected:
  using LRScheduler::LRScheduler;
  /// The learning rates of the epoch step_count_ over those of the epoch before.
  virtual double factor() const = 0;

 private:
  std::vector<double> get_lrs() override;
};

}  // namespace etude::optim
