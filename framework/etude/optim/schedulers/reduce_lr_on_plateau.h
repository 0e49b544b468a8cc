#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "etude/nn/arg.h"
#include "etude/optim/optimizer.h"
#include "etude/optim/schedulers/per_group.h"

namespace etude::optim {

struct ETUDE_API ReduceLROnPlateauOptions {
  /// "min" if the metric should fall, "max" if it should rise.
  ETUDE_ARG(std::string, mode) = "min";
  /// The factor that the learning rates are multiplied by, below 1.
  ETUDE_ARG(double, factor) = 0.1;
  /// The number of epochs without improvement to tolerate.
  ETUDE_ARG(int64_t, patience) = 10;
  /// The smallest improvement that counts: a fraction of the best metric ("rel"), or a difference to it ("abs").
  ETUDE_ARG(double, threshold) = 1e-4;
  /// What threshold is: "rel" or "abs".
  ETUDE_ARG(std::string, threshold_mode) = "rel";
  /// The number of epochs after a reduction in which bad epochs do not count.
  ETUDE_ARG(int64_t, cooldown) = 0;
  /// The learning rates never fall below this: one for all groups, or one for each.
  ETUDE_ARG(PerGroup, min_lr) = 0;
  /// Reductions by no more than this are skipped.
  ETUDE_ARG(double, eps) = 1e-8;
};

/// Multiplies the learning rates by a factor when a metric has not improved for some epochs (Python's
/// ReduceLROnPlateau). It keeps a reference to the optimizer.
class ETUDE_API ReduceLROnPlateau {
 public:
  /// The values kept from epoch to epoch; can be saved, and assigned to another scheduler.
  struct State {
    double best;
    int64_t num_bad_epochs, cooldown_counter, last_epoch;
  };

  explicit ReduceLROnPlateau(Optimizer& optimizer, ReduceLROnPlateauOptions options = {});

  /// Takes the metric of an epoch, and reduces the learning rates if needed.
  void step(double metric);

  State& state() { return state_; }
  const State& state() const { return state_; }
  /// Lists what is saved: the state, not the options.
  void name_values(NamedValues& values);
  void save(serialize::OutputArchive& archive) const;
  /// Reads what save() wrote; an error changes nothing.
  void load(serialize::InputArchive& archive);
  bool in_cooldown() const { return state_.cooldown_counter > 0; }

 protected:
  bool verbose_ = false;

 private:
  bool is_better(double metric) const;
  void reduce_lrs();

  Optimizer& optimizer_;
  const ReduceLROnPlateauOptions options_;
  const std::vector<double> min_lrs_;
  State state_;
};

/// ReduceLROnPlateau with the arguments of LibTorch 2. Verbose, it prints a line for each learning rate that it reduces.
class ETUDE_API ReduceLROnPlateauScheduler : public ReduceLROnPlateau {
 public:
  enum SchedulerMode { min, max };
  enum ThresholdMode { rel, abs };
  explicit ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, float factor = 0.1F,
                                      int patience = 10, double threshold = 1e-4,
                                      ThresholdMode threshold_mode = rel, int cooldown = 0,
                                      const std::vector<float>& min_lr = {}, double eps = 1e-8,
                                      bool verbose = false);
};

}  // namespace etude::optim
