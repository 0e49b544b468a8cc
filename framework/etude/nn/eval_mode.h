#pragma once

#include <memory>
#include <vector>

#include "etude/nn/module.h"

namespace etude::nn {

/// For this thread a model is in eval mode while this exists: is_training() of every module in it is false. The model
/// itself is left as it is, so that other threads may use it meanwhile, in whatever mode it has.
class ETUDE_API EvalMode {
 public:
  explicit EvalMode(const Module& model);
  ~EvalMode();
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

  /// Whether one of them covers the module on this thread.
  static bool covers(const Module& module) noexcept;

 private:
  const Module& model_;
  std::vector<std::shared_ptr<Module>> inside_;
};

}  // namespace etude::nn
