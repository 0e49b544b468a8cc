#pragma once

#include <cstdint>
#include <memory>

#include "etude/core/export.h"

namespace etude {

using std::make_unique;  // torch::make_unique

namespace memory {

/// Bytes of memory of the tensors larger than 1 KiB, counted in whole blocks.
struct Stats {
  int64_t in_use;       ///< Used by tensors at present (torch.cuda.memory_allocated).
  int64_t most_in_use;  ///< The peak since start or reset_most_in_use() (torch.cuda.max_memory_allocated).
  int64_t kept;         ///< Freed, and kept for later tensors.
};
/// The present and peak memory use of tensors.
ETUDE_API Stats stats();
/// Resets most_in_use to what is in use now.
ETUDE_API void reset_most_in_use();

/// Gives the kept memory back to the system and returns its size in bytes. Without this call, in_use + kept is at most twice
/// the recent peak of in_use.
ETUDE_API int64_t release();

}  // namespace memory

/// memory::release() under PyTorch's name (torch.cuda.empty_cache).
inline int64_t empty_cache() { return memory::release(); }

}  // namespace etude
