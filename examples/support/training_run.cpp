#include "support/training_run.h"

#include <iostream>
#include <utility>

#include "support/interrupt.h"

namespace examples {

TrainingRun::TrainingRun(const Program& program, const std::string& name, etude::nn::Module& model,
                         etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule,
                         std::string unit)
    : program_(program), path_(program.output(name + ".safetensors").string()), unit_(std::move(unit)) {
  checkpoint_.add("model", model).add("optimizer", optimizer).add("scheduler", schedule);
  checkpoint_.add("step", step_).add("losses", points_);
}

void TrainingRun::resume() {
  reading(path_, "--resume goes on with what the same command line has begun without it",
          [&] { checkpoint_.load(path_); });
  from_tensor(points_, losses_);
}

bool TrainingRun::goes_on() {
  if (step_ >= program_.steps || interrupted()) return false;
  if (!progress_) progress_ = std::make_unique<Progress>(program_.steps, step_, unit_);
  return true;
}

void TrainingRun::note(double loss, int64_t items) {
  losses_.add(static_cast<double>(++step_), loss);
  progress_->step(step_, loss, items);
}

bool TrainingRun::end() {
  progress_.reset();
  points_ = to_tensor(losses_);
  writing(path_, [&] { checkpoint_.save(path_); });
  if (step_ >= program_.steps) return true;
  std::cerr << "stopped after step " << step_ << "; to go on: " << program_.again_with("--resume") << "\n";
  return false;
}

}  // namespace examples
