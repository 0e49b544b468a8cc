#include "etude/autograd/grad_mode.h"

#include <atomic>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/detail/node.h"

namespace etude {
namespace {
thread_local bool enabled = true;
std::atomic<bool> looks_for_faults{false}, checks_nan{true};
}  // namespace

bool GradMode::is_enabled() { return enabled; }
void GradMode::set_enabled(bool on) { enabled = on; }

InferenceMode::InferenceMode(bool on) : before_(is_enabled()), recorded_before_(enabled) {
  detail::inference_mode() = on;
  enabled = !on;
}
InferenceMode::~InferenceMode() {
  detail::inference_mode() = before_;
  enabled = recorded_before_;
}
bool InferenceMode::is_enabled() { return detail::inference_mode(); }

namespace autograd {

bool detail::records_now() { return enabled && !InferenceMode::is_enabled(); }

bool AnomalyMode::is_enabled() { return looks_for_faults.load(std::memory_order_relaxed); }
bool AnomalyMode::should_check_nan() { return checks_nan.load(std::memory_order_relaxed); }
void AnomalyMode::set_enabled(bool on, bool check_nan) {
  looks_for_faults = on;
  checks_nan = check_nan;
}

}  // namespace autograd
}  // namespace etude
