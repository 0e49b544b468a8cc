#pragma once

#include <cstdint>

#include "etude/core/parallel.h"

namespace etude::detail {

using etude::FunctionRef, etude::parallel_for;

/// From this many simple steps on, starting threads is worth it.
constexpr int64_t kGrain = 32768;

/// From here on the ops that this thread calls run on it alone: for threads that work beside each other.
void use_one_thread();

}  // namespace etude::detail
