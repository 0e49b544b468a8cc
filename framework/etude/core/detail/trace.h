#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"

// A trace of what each thread does, and when, in Chrome's trace format.

namespace etude::detail::trace {

constexpr std::size_t kMostBytes = std::size_t{1} << 27;

/// Begins a trace. A thread whose events have taken most_bytes of memory drops others. Throws Error while there is one already.
ETUDE_API void start(std::size_t most_bytes = kMostBytes);

/// Ends it and hands its text to `write`, piece by piece. Returns how many events were dropped.
ETUDE_API int64_t stop(FunctionRef<void(std::string_view)> write);

/// What the process is called in traces to come, and its number there: of several, its rank.
ETUDE_API void set_process(int64_t pid, std::string name);

/// What the row of this thread is called.
ETUDE_API void name_thread(std::string name);

}  // namespace etude::detail::trace
