#pragma once

#include "etude/core/export.h"

namespace etude::autograd {

/// A mode of all threads in which backward throws an error that names the op whose gradient has a nan, and warns of the op
/// whose backward throws (torch::autograd::AnomalyMode).
struct ETUDE_API AnomalyMode {
  static bool is_enabled();
  static bool should_check_nan();
  static void set_enabled(bool enabled, bool check_nan = true);
};

/// Turns anomaly mode on for a scope and restores what was before (torch::autograd::DetectAnomalyGuard).
class ETUDE_API DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool check_nan = true) { AnomalyMode::set_enabled(true, check_nan); }
  ~DetectAnomalyGuard() { AnomalyMode::set_enabled(enabled_before_, checked_before_); }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool enabled_before_ = AnomalyMode::is_enabled(), checked_before_ = AnomalyMode::should_check_nan();
};

}  // namespace etude::autograd
