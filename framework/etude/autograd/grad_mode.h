#pragma once

#include "etude/core/export.h"
#include "etude/core/restoring.h"

namespace etude {

/// Whether ops of this thread are recorded for backward.
struct ETUDE_API GradMode {
  static bool is_enabled();
  static void set_enabled(bool on);
};

/// Sets the grad mode for a scope and restores what was before (at::AutoGradMode).
using AutoGradMode = detail::Restoring<GradMode::is_enabled, GradMode::set_enabled>;

/// Nothing in its scope is recorded (torch::NoGradGuard, Python's no_grad).
struct NoGradGuard : public AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Recording is on in its scope, also inside a NoGradGuard (torch::autograd's enable_grad).
struct EnableGradGuard : public AutoGradMode {
  EnableGradGuard() : AutoGradMode(true) {}
};

/// For its scope this thread records nothing, and the tensors that it makes are inference tensors: cheap, but for good
/// outside of every graph. In other scopes they can be read, but neither written in place nor saved for a backward
/// (c10::InferenceMode). With false it leaves the mode of an outer scope.
class ETUDE_API InferenceMode {
 public:
  InferenceMode(bool enabled = true);
  ~InferenceMode();
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  static bool is_enabled();

 private:
  bool before_, recorded_before_;
};

}  // namespace etude
