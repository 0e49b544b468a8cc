#pragma once

#include "etude/core/export.h"
#include "etude/core/function_ref.h"
#include "etude/distributed/process_group.h"

namespace etude::distributed {

/// Calls f in one process while the others wait, for example to write a file that all read afterwards. An
/// exception in f is an Error in all processes, which names the rank and the reason.
ETUDE_API void run_on_rank(ProcessGroup& group, int rank, FunctionRef<void()> f);

}  // namespace etude::distributed
