#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "etude/core/export.h"
#include "etude/core/function_ref.h"

// A trace of what each thread does, and when, in Chrome's trace format.

namespace etude::detail::trace {

constexpr std::size_t kMostBytes = std::size_t{1} << 27;

/// Begins a trace. A thread whose events have taken most_bytes of memory drops later ones. Throws Error during another trace.
ETUDE_API void start(std::size_t most_bytes = kMostBytes);

/// Ends the trace and hands its text to `write`, piece by piece. Returns the number of dropped events.
ETUDE_API int64_t stop(FunctionRef<void(std::string_view)> write);

/// Sets the name and the number of this process in later traces; the number of one of several processes is its rank.
ETUDE_API void set_process(int64_t pid, std::string name);

/// Sets the name of this thread's row.
ETUDE_API void name_thread(std::string name);

}  // namespace etude::detail::trace
