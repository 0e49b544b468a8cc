#include "support/training_state.h"

#include <sstream>
#include <stdexcept>

namespace examples {
namespace {

// Each fact is a line in a checkpoint.
constexpr char kBetween[] = ": ";

}  // namespace

std::map<std::string, std::string> facts_of_checkpoint(const std::string& path) {
  etude::serialize::InputArchive archive;
  archive.load_from(path);
  etude::IValue text;
  archive.read("facts", text);
  std::map<std::string, std::string> facts;
  std::istringstream lines(text.to<std::string>());
  for (std::string line; std::getline(lines, line);) {
    const size_t at = line.find(kBetween);
    if (at != std::string::npos) facts[line.substr(0, at)] = line.substr(at + sizeof kBetween - 1);
  }
  return facts;
}

TrainingState::TrainingState(const std::string& program, uint64_t seed, etude::nn::Module& model,
                             etude::optim::Optimizer& optimizer, etude::optim::LRScheduler& schedule) {
  checkpoint_.add("model", model).add("optimizer", optimizer).add("scheduler", schedule);
  checkpoint_.add("step", step_).add("facts", facts_);
  keep(losses_);
  has("the program", program);
  begins_with("--seed", seed);
}

void TrainingState::keep(Curve& curve) {
  kept_.push_back({&curve, {}});
  checkpoint_.add(curve.name, kept_.back().points);
}

void TrainingState::save(const std::string& path) {
  for (Kept& kept : kept_) kept.points = to_tensor(*kept.curve);
  facts_.clear();
  for (const Facts* facts : {&has_, &begins_with_})
    for (const auto& [what, value] : *facts) facts_ += what + kBetween + value + "\n";
  checkpoint_.save(path);
}

// The facts of the checkpoint, if they match this run. They are read first, because a model of another shape would fail
// with messages that name no option.
TrainingState::SavedFacts TrainingState::read_facts(const std::string& path) const {
  SavedFacts saved = facts_of_checkpoint(path);
  std::string differences;
  for (const auto& [what, value] : has_)
    if (saved[what] != value) differences += "\n  " + what + ": " + saved[what] + " then, " + value + " now";
  if (!differences.empty()) throw std::runtime_error(path + " belongs to another run" + differences);
  return saved;
}

std::vector<TrainingState::Change> TrainingState::load(const std::string& path) {
  SavedFacts saved = read_facts(path);
  checkpoint_.load(path);
  for (const Kept& kept : kept_) from_tensor(kept.points, *kept.curve);
  std::vector<Change> changes;
  for (auto& [option, value] : begins_with_) {
    if (saved[option] != value) changes.push_back({option, value, saved[option]});
    value = saved[option];
  }
  return changes;
}

}  // namespace examples
