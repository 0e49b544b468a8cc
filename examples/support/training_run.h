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

/// A training run: its step and losses, its checkpoints, and its progress on stderr.
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
  /// Keeps references to all arguments. The checkpoint is `name`.safetensors in --out; `unit` is the unit counted per
  /// second.
  TrainingRun(const Program& program, const std::string& name, etude::nn::Module& model,
              etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule, std::string unit);
  /// The same for a state that the caller owns.
  TrainingRun(const Program& program, const std::string& name, TrainingState& state, std::string unit);

  /// As in TrainingState. With --resume, an option that differs from the value the run began with is reported.
  template <typename Value>
  void has(const std::string& what, const Value& value) {
    state_.has(what, value);
  }
  template <typename Value>
  void begins_with(const std::string& option, const Value& value) {
    state_.begins_with(option, value);
  }
  void keep(Curve& curve) { state_.keep(curve); }

  /// Continues from the checkpoint. Throws FileError.
  void resume();
  bool can_resume() const { return etude::Checkpoint::exists(path_); }
  /// Whether there are steps left and no signal asks to stop. Saves the checkpoint every --save-every steps. Several processes
  /// all continue or all stop, and the first of them saves.
  bool goes_on();
  /// Call after each step, which processed `items`.
  void note(double loss, int64_t items);
  /// Writes a line between the progress lines.
  void say(const std::string& line) { progress_->say(line); }
  /// Saves the checkpoint. Returns whether all steps are done; otherwise prints on stderr how to continue.
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
  etude::Tensor stop_;  // in flight: whether one of the processes asks to stop
  std::shared_ptr<etude::distributed::Work> asked_;
};

}  // namespace examples
