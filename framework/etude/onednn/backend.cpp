#include "etude/onednn/backend.h"

#include <atomic>

namespace etude::onednn {

static std::atomic<bool> on{true};

bool enabled() { return available() && on.load(std::memory_order_relaxed); }
void set_enabled(bool value) { on.store(value, std::memory_order_relaxed); }

}  // namespace etude::onednn
