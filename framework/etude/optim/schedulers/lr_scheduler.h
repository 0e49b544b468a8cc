#pragma once

#include <cstdint>
#include <vector>

#include "etude/optim/optimizer.h"

namespace etude::optim {

/// The base class of schedulers, which set the learning rates of an optimizer's groups
/// (torch::optim::LRScheduler). It keeps a reference to the optimizer.
///
/// Call step() after the optimizer's step(). Constructing a StepLR changes nothing, so that its first step()
/// sets epoch 0, as in LibTorch. Schedulers that only Python has take that step in their constructors, as in
/// Python: after n calls of step() the learning rates are those of epoch n.
///
/// To resume, construct the scheduler again with the same arguments and load what the old one saved. The
/// current learning rates are saved with the optimizer.
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
  /// The learning rates of the groups before the optimizer's first scheduler.
  const std::vector<double>& base_lrs() const { return base_lrs_; }
  void set_base_lrs(std::vector<double> lrs);

  /// Lists what is saved: the progress, not the arguments. A custom scheduler overrides this to add values of its own.
  virtual void name_values(NamedValues& values);
  void save(serialize::OutputArchive& archive) const;
  /// Reads what save() wrote; an error changes nothing.
  void load(serialize::InputArchive& archive);

 protected:
  /// The learning rate of each group for the epoch step_count_.
  virtual std::vector<double> get_lrs() = 0;
  /// The optimizer's current learning rates.
  std::vector<double> get_current_lrs() const;
  Optimizer& optimizer() const { return optimizer_; }

  unsigned step_count_ = 0;

 private:
  Optimizer& optimizer_;
  std::vector<double> base_lrs_, last_lrs_;
};

/// The base of schedulers that multiply the optimizer's current values by a factor, so that schedulers chain.
class ETUDE_API FactorLR : public LRScheduler {
 protected:
  using LRScheduler::LRScheduler;
  /// The learning rates of epoch step_count_ divided by those of the epoch before.
  virtual double factor() const = 0;

 private:
  std::vector<double> get_lrs() override;
};

}  // namespace etude::optim
