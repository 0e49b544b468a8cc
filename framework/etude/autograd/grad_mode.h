#pragma once

#include "etude/core/export.h"

namespace etude {

/// Whether ops of this thread are recorded for backward.
struct ETUDE_API GradMode {
  static bool is_enabled();
  static void set_enabled(bool on);
};

/// Sets the grad mode for a scope and restores what was before (at::AutoGradMode).
struct ETUDE_API AutoGradMode {
  explicit AutoGradMode(bool on) : before_(GradMode::is_enabled()) { GradMode::set_enabled(on); }
  ~AutoGradMode() { GradMode::set_enabled(before_); }
  AutoGradMode(const AutoGradMode&) = delete;
  AutoGradMode& operator=(const AutoGradMode&) = delete;

 private:
  bool before_;
};

/// Nothing in its scope is recorded (torch::NoGradGuard, Python's no_grad).
struct ETUDE_API NoGradGuard : public AutoGradMode {
  NoGradGuard() : AutoGradMode(false) {}
};

/// Recording is on in its scope, also inside a NoGradGuard (torch::autograd's enable_grad).
struct ETUDE_API EnableGradGuard : public AutoGradMode {
  EnableGradGuard() : AutoGradMode(true) {}
};

}  // namespace etude
