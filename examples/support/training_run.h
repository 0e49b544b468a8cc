#pragma once

#include <etude/distributed/process_group.h>
#include <etude/etude.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/pictures.h"
#include "support/program.h"
#include "support/progress.h"

namespace examples {

/// How far a training run is: its step and losses, what it saves, and what it shows meanwhile.
///
///     TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "pairs");
///     run.has("--width", width);
///     if (program.resume) run.resume();
///     while (run.goes_on()) {
///       ...
///       run.note(loss, pairs);
///     }
///     return run.end();
class TrainingRun {
 public:
  /// Everything is referred to. The checkpoint is called `name`.safetensors, in --out; `unit` is what is counted per
  /// second.
  TrainingRun(const Program& program, const std::string& name, etude::nn::Module& model,
              etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule, std::string unit);

  /// What the model is made of or learns from: a checkpoint in which it was something else is refused.
  template <typename Value>
  void has(const std::string& what, const Value& value) {
    has_.emplace_back(what, etude::str(value));
  }
  /// An option that the checkpoint knows better: whoever gives another value with --resume is told.
  template <typename Value>
  void begins_with(const std::string& option, const Value& value) {
    begins_with_.emplace_back(option, etude::str(value));
  }
  /// One more curve for the checkpoint.
  void keep(Curve& curve);

  /// Goes on where the checkpoint stopped. Throws FileError.
  void resume();
  bool can_resume() const { return etude::Checkpoint::exists(path_); }
  /// Whether there are steps left, and nobody wants to stop. Saves the checkpoint every --save-every steps. Several processes
  /// all go on or all stop, and the first of them saves.
  bool goes_on();
  /// After each step that it allowed, which took in `items`.
  void note(double loss, int64_t items);
  /// A line between those of the progress.
  void say(const std::string& line) { progress_->say(line); }
  /// Saves the checkpoint. Returns whether all steps are done; otherwise says on stderr how to go on.
  /// Throws FileError.
  bool end();

  int64_t step() const { return step_; }
  const Curve& losses() const { return losses_; }

 private:
  using Facts = std::vector<std::pair<std::string, std::string>>;
  using SavedFacts = std::map<std::string, std::string>;
  struct Kept {
    Curve* curve;
    etude::Tensor points;  // of the curve, for the checkpoint
  };

  SavedFacts read_facts() const;
  bool is_to_stop();
  void save();

  const Program& program_;
  std::string path_, unit_, facts_;
  Facts has_, begins_with_;
  int64_t step_ = 0;
  Curve losses_{"training"};
  std::list<Kept> kept_;  // a list, because the checkpoint refers to what is in it
  etude::Checkpoint checkpoint_;
  std::unique_ptr<Progress> progress_;
  etude::Tensor stop_;  // what is being asked, of all processes: whether one of them is to stop
  std::shared_ptr<etude::distributed::Work> asked_;
};

}  // namespace examples
