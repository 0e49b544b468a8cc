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

}  // namespace etude
