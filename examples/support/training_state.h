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

/// What is saved of a training run: the model and how it is trained, its step and losses, and the facts that say which
/// run it is.
class TrainingState {
 public:
  /// An option of which the checkpoint knows another value than this run was begun with.
  struct Change {
    std::string option, here, saved;
  };

  /// Everything is referred to. `program` is the name of what trains.
  TrainingState(const std::string& program, uint64_t seed, etude::nn::Module& model,
                etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule);
  TrainingState(const TrainingState&) = delete;
  TrainingState& operator=(const TrainingState&) = delete;

  /// What the model is made of or learns from: a checkpoint in which it was something else is refused.
  template <typename Value>
  void has(const std::string& what, const Value& value) {
    has_.emplace_back(what, etude::str(value));
  }
  /// An option that the checkpoint knows better.
  template <typename Value>
  void begins_with(const std::string& option, const Value& value) {
    begins_with_.emplace_back(option, etude::str(value));
  }
  /// One more curve for the checkpoint.
  void keep(Curve& curve);

  /// One more step, and its loss.
  void note(double loss) { losses_.add(static_cast<double>(++step_), loss); }
  int64_t step() const { return step_; }
  const Curve& losses() const { return losses_; }

  void save(const std::string& path);
  /// Goes on where the checkpoint stopped, if it is one of this run, and with what that was begun with; returns what
  /// differs from this one.
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
  std::list<Kept> kept_;  // a list, because the checkpoint refers to what is in it
  etude::Checkpoint checkpoint_;
};

/// The facts that a checkpoint was saved with.
std::map<std::string, std::string> facts_of_checkpoint(const std::string& path);

}  // namespace examples
