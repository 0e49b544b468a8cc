#pragma once

#include "etude/core/dtype.h"
#include "etude/core/export.h"

// Mixed precision: while it is on, matrix products cast float32 to bfloat16, and losses cast bfloat16 to float32. Weights
// and their gradients stay float32. Each thread has its own state. As at::autocast of LibTorch 1.13.

namespace etude::autocast {

/// Whether autocast is on.
ETUDE_API bool is_cpu_enabled();
/// Switches autocast on or off. Warns once where bfloat16 products have no support in hardware: there autocast costs time
/// instead of saving it.
ETUDE_API void set_cpu_enabled(bool enabled);

/// The dtype to which products cast their inputs; only bfloat16 is supported.
ETUDE_API ScalarType get_autocast_cpu_dtype();
ETUDE_API void set_autocast_cpu_dtype(ScalarType dtype);

/// Whether the cast of a weight (a leaf that requires a gradient) is kept until clear_cache. A changed weight is cast again.
ETUDE_API bool is_autocast_cache_enabled();
ETUDE_API void set_autocast_cache_enabled(bool enabled);
/// Frees the cast weights. Call it after each step, or when autocast is switched off.
ETUDE_API void clear_cache();

/// Counts the start of a scope with autocast and returns the number of open scopes.
ETUDE_API int increment_nesting();
/// Counts the end of a scope and returns the number still open. When it returns 0, call clear_cache().
ETUDE_API int decrement_nesting();

}  // namespace etude::autocast
