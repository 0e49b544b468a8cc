#pragma once

#include <cstddef>

// GCC comes without the header; null where the program is not linked with a sanitizer.
extern "C" __attribute__((weak)) std::size_t __sanitizer_get_current_allocated_bytes();

namespace etude {

/// Whether a sanitizer looks after memory, and keeps for a while what is freed.
inline bool sanitized() { return __sanitizer_get_current_allocated_bytes != nullptr; }

}  // namespace etude
