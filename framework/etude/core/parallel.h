#pragma once

#include <cstdint>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"

namespace etude {

/// How many threads large ops may use. Results do not depend on it. At start: OMP_NUM_THREADS or the number of cores.
ETUDE_API void set_num_threads(int threads);
/// The number that set_num_threads() has set, or the number at start.
ETUDE_API int get_num_threads();

/// Calls f(begin, end) on ranges that together are [begin, end): one range for at most `grain` steps, otherwise one for
/// each of get_num_threads() threads. The first such call creates the threads, which stay. The first exception is rethrown
/// to the caller. Nested calls, and calls from other threads meanwhile, run on the calling thread.
ETUDE_API void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);

/// Does nothing, since threads are created when they are needed.
inline void init_num_threads() {}
/// Sets how many ops LibTorch may run in parallel. The number is stored and has no effect: one op runs at a time, on
/// several threads.
ETUDE_API void set_num_interop_threads(int threads);
/// The number that set_num_interop_threads() has set; 1 at start.
ETUDE_API int get_num_interop_threads();

}  // namespace etude
