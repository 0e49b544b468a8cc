#pragma once

#include <memory>
#include <vector>

#include "etude/nn/module.h"

namespace etude::nn {

/// Puts a model in eval mode on this thread while it exists: is_training() of each of its modules returns
/// false. The model itself does not change, so other threads may use it meanwhile in its own mode.
class ETUDE_API EvalMode {
 public:
  explicit EvalMode(const Module& model);
  ~EvalMode();
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

  /// Whether an EvalMode on this thread covers the module.
  static bool covers(const Module& module) noexcept;

 private:
  const Module& model_;
  std::vector<std::shared_ptr<Module>> inside_;
};

}  // namespace etude::nn
