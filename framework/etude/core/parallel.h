#pragma once

#include "etude/core/export.h"

namespace etude {

/// How many threads large ops may use. Results do not depend on it. At start: OMP_NUM_THREADS or the number
/// of cores.
ETUDE_API void set_num_threads(int threads);
ETUDE_API int get_num_threads();

}  // namespace etude
