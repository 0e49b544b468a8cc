#pragma once

#include <etude/etude.h>

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/curve.h"

namespace examples {

/// The saved state of a training run: model, optimizer and schedule, step and losses, and the facts that identify the
/// run.
class TrainingState {
 public:
  /// An option with different values in the checkpoint and in this run.
  struct Change {
    std::string option, here, saved;
  };

  /// Keeps references to all arguments. `program` is the name of the program.
  TrainingState(const std::string& program, uint64_t seed, etude::nn::Module& model,
                etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule);
  TrainingState(const TrainingState&) = delete;
  TrainingState& operator=(const TrainingState&) = delete;

  /// A fact about the model or its data. Loading a checkpoint with another value throws.
  template <typename Value>
  void has(const std::string& what, const Value& value) {
    has_.emplace_back(what, etude::str(value));
  }
  /// An option for which the checkpoint's value wins.
  template <typename Value>
  void begins_with(const std::string& option, const Value& value) {
    begins_with_.emplace_back(option, etude::str(value));
  }
  /// Adds a curve to the checkpoint.
  void keep(Curve& curve);

  /// Counts a step and records its loss.
  void note(double loss) { losses_.add(static_cast<double>(++step_), loss); }
  int64_t step() const { return step_; }
  const Curve& losses() const { return losses_; }

  void save(const std::string& path);
  /// Continues from the checkpoint, which must belong to this run, with the options it was begun with; returns the
  /// options that differ from this run's.
  std::vector<Change> load(const std::string& path);

 private:
  using Facts = std::vector<std::pair<std::string, std::string>>;
  using SavedFacts = std::map<std::string, std::string>;
  struct Kept {
    Curve* curve;
    etude::Tensor points;  // of the curve, for the checkpoint
  };

  SavedFacts read_facts(const std::string& path) const;

  std::string facts_;
  Facts has_, begins_with_;
  int64_t step_ = 0;
  Curve losses_{"training"};
  std::list<Kept> kept_;  // a list, because the checkpoint refers to its elements
  etude::Checkpoint checkpoint_;
};

/// The facts that a checkpoint was saved with.
std::map<std::string, std::string> facts_of_checkpoint(const std::string& path);

}  // namespace examples
