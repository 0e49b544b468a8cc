#pragma once

#include <cstdint>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"

namespace etude {

/// How many threads large ops may use. Results do not depend on it. At start: OMP_NUM_THREADS or the number of cores.
ETUDE_API void set_num_threads(int threads);
/// What set_num_threads() has set, or what there was at start.
ETUDE_API int get_num_threads();

/// Calls f(begin, end) on ranges that together are [begin, end): one if there are no more than `grain` steps, else one for
/// each of get_num_threads() threads. They are made by the first such call and stay. The first exception is carried out to
/// the caller. Calls from inside f run on the thread that makes them, as do those of other threads meanwhile.
ETUDE_API void parallel_for(int64_t begin, int64_t end, int64_t grain, FunctionRef<void(int64_t, int64_t)> f);

/// For programs that call it: threads are made when they are needed.
inline void init_num_threads() {}
/// How many ops may run beside each other in LibTorch. It is remembered and has no effect: one op runs at a time, on
/// several threads.
ETUDE_API void set_num_interop_threads(int threads);
/// What set_num_interop_threads() has set.
ETUDE_API int get_num_interop_threads();

}  // namespace etude
