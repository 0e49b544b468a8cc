#pragma once

#include <etude/etude.h>

#include <filesystem>
#include <memory>
#include <string>

#include "support/pictures.h"
#include "support/program.h"
#include "support/progress.h"

namespace examples {

/// How far a training run is: its step and losses, what it saves, and what it shows meanwhile.
///
///     TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "pairs");
///     if (resume) run.resume();
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

  /// Goes on where the checkpoint stopped. Throws FileError.
  void resume();
  bool can_resume() const { return etude::Checkpoint::exists(path_); }
  /// Whether there are steps left, and no Ctrl-C.
  bool goes_on();
  /// After each step that it allowed, which took in `items`.
  void note(double loss, int64_t items);
  /// Saves the checkpoint. Returns whether all steps are done; otherwise says on stderr how to go on.
  /// Throws FileError.
  bool end();

  const Curve& losses() const { return losses_; }

 private:
  const Program& program_;
  std::string path_, unit_;
  int64_t step_ = 0;
  Curve losses_{"training"};
  etude::Tensor points_;  // of losses_, for the checkpoint
  etude::Checkpoint checkpoint_;
  std::unique_ptr<Progress> progress_;
};

}  // namespace examples
