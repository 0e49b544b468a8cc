#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "etude/nn/arg.h"
#include "etude/optim/optimizer.h"
#include "etude/optim/schedulers/per_group.h"

namespace etude::optim {

struct ETUDE_API ReduceLROnPlateauOptions {
  /// "min" if the metric is to fall, "max" if it is to rise.
  ETUDE_ARG(std::string, mode) = "min";
  ETUDE_ARG(double, factor) = 0.1;
  /// How many epochs without an improvement are borne.
  ETUDE_ARG(int64_t, patience) = 10;
  /// What counts as an improvement: "rel", a part of the best metric, or "abs", a difference to it.
  ETUDE_ARG(double, threshold) = 1e-4;
  ETUDE_ARG(std::string, threshold_mode) = "rel";
  /// How many epochs after a reduction are not counted.
  ETUDE_ARG(int64_t, cooldown) = 0;
  ETUDE_ARG(PerGroup, min_lr) = 0;
  /// A reduction by no more than this is left out.
  ETUDE_ARG(double, eps) = 1e-8;
};

/// Multiplies the learning rates by a factor when a metric has not improved for some epochs (Python's
/// ReduceLROnPlateau). It keeps a reference to the optimizer.
class ETUDE_API ReduceLROnPlateau {
 public:
  /// What it remembers from epoch to epoch; to save, and to give to another one.
  struct State {
    double best;
    int64_t num_bad_epochs, cooldown_counter, last_epoch;
  };

  explicit ReduceLROnPlateau(Optimizer& optimizer, ReduceLROnPlateauOptions options = {});

  /// Takes the metric of an epoch.
  void step(double metric);

  State& state() { return state_; }
  const State& state() const { return state_; }
  /// Lists what is saved: the state, and not the options.
  void name_values(NamedValues& values);
  void save(serialize::OutputArchive& archive) const;
  /// An error changes nothing.
  void load(serialize::InputArchive& archive);
  bool in_cooldown() const { return state_.cooldown_counter > 0; }

 private:
  bool is_better(double metric) const;
  void reduce_lrs();

  Optimizer& optimizer_;
  const ReduceLROnPlateauOptions options_;
  const std::vector<double> min_lrs_;
  State state_;
};

}  // namespace etude::optim
