#pragma once

#include "etude/core/export.h"
#include "etude/core/restoring.h"

namespace etude::onednn {

/// Whether the library was built with oneDNN.
ETUDE_API bool available();
/// Whether ops may use oneDNN. If not, every op runs its plain kernel.
ETUDE_API bool enabled();
/// Turns oneDNN on or off for all threads; if the library was built without oneDNN, it stays off.
ETUDE_API void set_enabled(bool on);
/// Whether the processor multiplies bfloat16 faster than float32 (AVX512-BF16, AMX), and ops may use oneDNN for it.
ETUDE_API bool multiplies_bfloat16();
/// "oneDNN 2.6.3" or "none".
ETUDE_API const char* version();

/// Turns oneDNN on or off in a scope and restores the previous setting, so that both paths of an op can be compared.
using EnabledGuard = detail::Restoring<enabled, set_enabled>;

}  // namespace etude::onednn
