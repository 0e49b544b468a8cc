#include "etude/autograd/anomaly_mode.h"

#include <atomic>

namespace etude::autograd {
namespace {
std::atomic<bool> enabled{false}, checks_nan{true};
}

bool AnomalyMode::is_enabled() { return enabled.load(std::memory_order_relaxed); }
bool AnomalyMode::should_check_nan() { return checks_nan.load(std::memory_order_relaxed); }
void AnomalyMode::set_enabled(bool on, bool check_nan) {
  enabled = on;
  checks_nan = check_nan;
}

DetectAnomalyGuard::DetectAnomalyGuard(bool check_nan)
    : enabled_before_(AnomalyMode::is_enabled()), checked_before_(AnomalyMode::should_check_nan()) {
  AnomalyMode::set_enabled(true, check_nan);
}

DetectAnomalyGuard::~DetectAnomalyGuard() { AnomalyMode::set_enabled(enabled_before_, checked_before_); }

}  // namespace etude::autograd
