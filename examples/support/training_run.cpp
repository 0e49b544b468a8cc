#include "support/training_run.h"

#include <filesystem>
#include <iostream>
#include <utility>

#include "support/interrupt.h"

namespace examples {

TrainingRun::TrainingRun(const Program& program, const std::string& name, etude::nn::Module& model,
                         etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule,
                         std::string unit)
    : program_(program),
      path_(program.output(name + ".safetensors").string()),
      unit_(std::move(unit)),
      own_(std::make_unique<TrainingState>(program.name, program.seed, model, optimizer, schedule)),
      state_(*own_) {}

TrainingRun::TrainingRun(const Program& program, const std::string& name, TrainingState& state,
                         std::string unit)
    : program_(program),
      path_(program.output(name + ".safetensors").string()),
      unit_(std::move(unit)),
      state_(state) {}

void TrainingRun::resume() {
  reading(path_, "--resume goes on with what the same command line has begun without it", [&] {
    for (const auto& [option, here, saved] : state_.load(path_))
      if (step() < program_.steps && program_.is_given(option))
        std::cerr << option << " " << here << " is for new runs; this one goes on with the " << saved
                  << " of its checkpoint\n";
  });
}

// Several processes get the answer one step after the question, so that none waits for it.
bool TrainingRun::is_to_stop() {
  etude::distributed::ProcessGroup& group = *program_.processes();
  if (group.getSize() == 1) return interrupted();
  if (asked_) asked_->wait();
  if (asked_ && stop_.item<bool>()) return true;
  stop_ = etude::tensor(interrupted());
  std::vector<etude::Tensor> flags = {stop_};
  etude::distributed::AllreduceOptions options;
  options.reduceOp = etude::distributed::ReduceOp::MAX;
  asked_ = group.allreduce(flags, options);
  return false;
}

bool TrainingRun::goes_on() {
  if (step() >= program_.steps || is_to_stop()) return false;
  if (!progress_) {
    progress_ = std::make_unique<Progress>(program_.steps, step(), unit_);
    progress_->begin();
  } else if (program_.is_first() && program_.save_every > 0 && step() % program_.save_every == 0) {
    try {
      save();
    } catch (const FileError& error) {  // the disk may have room next time; a lost folder stays lost
      if (!std::filesystem::exists(std::filesystem::path(path_).parent_path())) throw;
      progress_->say(std::string("not saved: ") + error.what());
    }
  }
  program_.begin_step(step() + 1);
  return true;
}

void TrainingRun::note(double loss, int64_t items) {
  program_.end_step();
  state_.note(loss);
  progress_->step(step(), loss, items);
}

void TrainingRun::save() {
  writing(path_, [&] { state_.save(path_); });
}

bool TrainingRun::end() {
  progress_.reset();
  if (program_.is_first()) save();
  if (step() >= program_.steps) return true;
  std::cerr << "stopped after step " << step() << "; to go on: " << program_.again_with("--resume") << "\n";
  return false;
}

}  // namespace examples
