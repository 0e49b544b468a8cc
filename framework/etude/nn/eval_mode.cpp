#include "etude/nn/eval_mode.h"

#include <unordered_map>

namespace etude::nn {

namespace {
// The number of EvalModes on this thread that cover a module; modules with none are absent.
thread_local std::unordered_map<const Module*, int> covered;

void uncover(const Module* module) {
  const auto found = covered.find(module);
  if (--found->second == 0) covered.erase(found);
}
}  // namespace

EvalMode::EvalMode(const Module& model) : model_(model), inside_(model.modules(/*include_self=*/false)) {
  ++covered[&model_];
  for (const auto& module : inside_) ++covered[module.get()];
}

EvalMode::~EvalMode() {
  uncover(&model_);
  for (const auto& module : inside_) uncover(module.get());
}

bool EvalMode::covers(const Module& module) noexcept {
  return !covered.empty() && covered.count(&module) != 0;
}

}  // namespace etude::nn
