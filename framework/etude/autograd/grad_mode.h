#pragma once

#include "etude/core/export.h"
#include "etude/core/restoring.h"

namespace etude {

/// Whether ops of this thread are recorded for backward.
struct ETUDE_API GradMode {
  static bool is_enabled();
  static void set_enabled(bool on);
};

/// Sets the grad mode for a scope, then restores the previous mode (at::AutoGradMode).
using AutoGradMode = detail::Restoring<GradMode::is_enabled, GradMode::set_enabled>;

/// Turns recording off for its scope (torch::NoGradGuard, Python's no_grad).
struct NoGradGuard : public AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Turns recording on for its scope, also inside a NoGradGuard (torch::autograd's enable_grad).
struct EnableGradGuard : public AutoGradMode {
  EnableGradGuard() : AutoGradMode(true) {}
};

/// For its scope, this thread records nothing, and the tensors it makes are inference tensors: cheap, but permanently
/// outside of every graph. Outside of the mode they can be read, but neither written in place nor saved for backward
/// (c10::InferenceMode). With false it turns off the mode of an outer scope.
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
