#include "etude/autograd/grad_mode.h"

namespace etude {
namespace {
thread_local bool enabled = true;
}

bool GradMode::is_enabled() { return enabled; }
void GradMode::set_enabled(bool on) { enabled = on; }

}  // namespace etude
