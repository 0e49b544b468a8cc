#pragma once

#include "etude/core/dtype.h"
#include "etude/core/export.h"

// Mixed precision: while it is on, matrix products take float32 as bfloat16, and losses take bfloat16 as float32. Weights
// stay float32, and so do their gradients. As at::autocast of LibTorch 1.13, for each thread on its own.

namespace etude::autocast {

/// Whether it is on.
ETUDE_API bool is_cpu_enabled();
/// Switches it on or off. Where the processor has no instructions for bfloat16 the first use warns: it costs time instead of
/// saving it.
ETUDE_API void set_cpu_enabled(bool enabled);

/// What products are cast to: bfloat16, the only type that there is for it.
ETUDE_API ScalarType get_autocast_cpu_dtype();
ETUDE_API void set_autocast_cpu_dtype(ScalarType dtype);

/// Whether a weight, a leaf that requires a gradient, is cast once until clear_cache. One that was written to is cast again.
ETUDE_API bool is_autocast_cache_enabled();
ETUDE_API void set_autocast_cache_enabled(bool enabled);
/// Frees the cast weights. To be called after each step, or when autocast is switched off.
ETUDE_API void clear_cache();

/// Counts one more scope that has switched it on, and gives how many have.
ETUDE_API int increment_nesting();
/// Counts one less. At the end of the outermost scope, where it gives 0, the cache is to be cleared.
ETUDE_API int decrement_nesting();

}  // namespace etude::autocast
