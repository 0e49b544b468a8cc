#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "etude/framework.h"

namespace etude {
namespace nn {

/// A model in eval mode while this exists; then every module has the mode again that it had.
class EvalMode {
 public:
  explicit EvalMode(Module& model) : model_(model), was_training_(model.is_training()) {
    for (const auto& module : model.modules(/*include_self=*/false))
      modes_.emplace_back(module, module->is_training());
    model.eval();
  }
  // From the outside in, because train() goes on to the modules inside.
  ~EvalMode() {
    model_.train(was_training_);
    for (const auto& [module, was_training] : modes_) module->train(was_training);
  }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  Module& model_;
  bool was_training_;
  std::vector<std::pair<std::shared_ptr<Module>, bool>> modes_;
};

}  // namespace nn
}  // namespace etude
