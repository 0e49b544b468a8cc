#include "etude/autograd/grad_mode.h"

#include "etude/autograd/detail/node.h"

namespace etude {

static thread_local bool enabled = true;

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

bool autograd::detail::records_now() { return enabled && !InferenceMode::is_enabled(); }

}  // namespace etude
