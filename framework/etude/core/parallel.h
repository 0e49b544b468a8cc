#pragma once

#include "etude/core/export.h"

namespace etude {

/// How many threads large ops may use. Results do not depend on it. At start: OMP_NUM_THREADS or the number of cores.
ETUDE_API void set_num_threads(int threads);
ETUDE_API int get_num_threads();

/// For programs that call it: threads are made when they are needed.
inline void init_num_threads() {}
/// How many ops may run beside each other in LibTorch. It is remembered and has no effect: one op runs at a time, on
/// several threads.
ETUDE_API void set_num_interop_threads(int threads);
ETUDE_API int get_num_interop_threads();

}  // namespace etude
