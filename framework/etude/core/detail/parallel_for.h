#pragma once

#include <cstdint>

#include "etude/core/detail/function_ref.h"

namespace etude::detail {

/// From this many simple steps on, starting threads is worth it.
constexpr int64_t kGrain = 32768;

/// Calls f(begin, end) on ranges that together are [begin, end), on several threads if there are more than
/// `grain` steps. The first exception is carried out to the caller. What f computes for an element must not
/// depend on how the range was cut.
void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);

}  // namespace etude::detail
