#include "support/training_run.h"

#include <iostream>
#include <sstream>

#include "support/interrupt.h"

namespace examples {
namespace {

// In a checkpoint each fact is a line.
constexpr char kBetween[] = ": ";

std::map<std::string, std::string> facts_in(const std::string& text) {
  std::map<std::string, std::string> facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(kBetween);
    if (at != std::string::npos) facts[line.substr(0, at)] = line.substr(at + sizeof kBetween - 1);
  }
  return facts;
}

}  // namespace

TrainingRun::TrainingRun(const Program& program, const std::string& name, etude::nn::Module& model,
                         etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule,
                         std::string unit)
    : program_(program), path_(program.output(name + ".safetensors").string()), unit_(std::move(unit)) {
  checkpoint_.add("model", model).add("optimizer", optimizer).add("scheduler", schedule);
  checkpoint_.add("step", step_).add("facts", facts_);
  keep(losses_);
  has("the program", program.name);
  begins_with("--seed", program.seed);
}

void TrainingRun::keep(Curve& curve) {
  kept_.push_back({&curve, {}});
  checkpoint_.add(curve.name, kept_.back().points);
}

// The facts of the checkpoint, if they are those of this run. They are read first, because a model of another form
// would be refused with sentences that name no option.
TrainingRun::SavedFacts TrainingRun::read_facts() const {
  etude::serialize::InputArchive archive;
  archive.load_from(path_);
  etude::IValue text;
  archive.read("facts", text);
  SavedFacts saved = facts_in(text.to<std::string>());
  std::string differences;
  for (const auto& [what, value] : has_)
    if (saved[what] != value) differences += "\n  " + what + ": " + saved[what] + " then, " + value + " now";
  if (!differences.empty()) throw FileError(path_ + " belongs to another run" + differences);
  return saved;
}

void TrainingRun::resume() {
  SavedFacts saved;
  reading(path_, "--resume goes on with what the same command line has begun without it", [&] {
    saved = read_facts();
    checkpoint_.load(path_);
  });
  for (const Kept& kept : kept_) from_tensor(kept.points, *kept.curve);
  for (auto& [option, value] : begins_with_) {
    if (saved[option] != value && step_ < program_.steps && program_.is_given(option))
      std::cerr << option << " " << value << " is for new runs; this one goes on with the " << saved[option]
                << " of its checkpoint\n";
    value = saved[option];
  }
}

// Several processes learn it one step after it is asked, so that none waits for the answer.
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
  if (step_ >= program_.steps || is_to_stop()) return false;
  if (!progress_) {
    progress_ = std::make_unique<Progress>(program_.steps, step_, unit_);
    progress_->begin();
  } else if (program_.is_first() && program_.save_every > 0 && step_ % program_.save_every == 0) {
    try {
      save();
    } catch (const FileError& error) {  // the next time there may be room again
      progress_->say(std::string("not saved: ") + error.what());
    }
  }
  program_.begin_step(step_ + 1);
  return true;
}

void TrainingRun::note(double loss, int64_t items) {
  program_.end_step();
  losses_.add(static_cast<double>(++step_), loss);
  progress_->step(step_, loss, items);
}

void TrainingRun::save() {
  for (Kept& kept : kept_) kept.points = to_tensor(*kept.curve);
  facts_.clear();
  for (const Facts* facts : {&has_, &begins_with_})
    for (const auto& [what, value] : *facts) facts_ += what + kBetween + value + "\n";
  writing(path_, [&] { checkpoint_.save(path_); });
}

bool TrainingRun::end() {
  progress_.reset();
  if (program_.is_first()) save();
  if (step_ >= program_.steps) return true;
  std::cerr << "stopped after step " << step_ << "; to go on: " << program_.again_with("--resume") << "\n";
  return false;
}

}  // namespace examples
