#pragma once

#include <cstddef>

// GCC has no header for it. It is null if the program is not linked with a sanitizer.
extern "C" __attribute__((weak)) std::size_t __sanitizer_get_current_allocated_bytes();

namespace etude {

/// Whether a sanitizer checks memory, and so keeps freed memory for a while.
inline bool sanitized() { return __sanitizer_get_current_allocated_bytes != nullptr; }

}  // namespace etude
