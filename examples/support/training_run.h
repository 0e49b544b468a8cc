#pragma once

#include <etude/distributed/process_group.h>
#include <etude/etude.h>

#include <cstdint>
#include <memory>
#include <string>

#include "support/program.h"
#include "support/progress.h"
#include "support/training_state.h"

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
  /// The same of a state that somebody else has.
  TrainingRun(const Program& program, const std::string& name, TrainingState& state, std::string unit);

  /// As of TrainingState. Whoever gives another value with --resume than a run began with is told.
  template <typename Value>
  void has(const std::string& what, const Value& value) {
    state_.has(what, value);
  }
  template <typename Value>
  void begins_with(const std::string& option, const Value& value) {
    state_.begins_with(option, value);
  }
  void keep(Curve& curve) { state_.keep(curve); }

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

  int64_t step() const { return state_.step(); }
  const Curve& losses() const { return state_.losses(); }

 private:
  bool is_to_stop();
  void save();

  const Program& program_;
  std::string path_, unit_;
  std::unique_ptr<TrainingState> own_;  // or null
  TrainingState& state_;
  std::unique_ptr<Progress> progress_;
  etude::Tensor stop_;  // what is being asked, of all processes: whether one of them is to stop
  std::shared_ptr<etude::distributed::Work> asked_;
};

}  // namespace examples
