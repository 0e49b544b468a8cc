#pragma once

#include <cstdint>
#include <memory>

#include "etude/core/export.h"

namespace etude {

using std::make_unique;  // torch::make_unique

namespace memory {

/// Bytes of the tensors that are larger than 1 KiB, as blocks are rounded up.
struct Stats {
  int64_t in_use;       // by tensors now (torch.cuda.memory_allocated)
  int64_t most_in_use;  // at once, since the start or reset_most_in_use() (torch.cuda.max_memory_allocated)
  int64_t kept;         // freed, and kept for tensors to come
};
/// What tensors take now, and have taken.
ETUDE_API Stats stats();
/// most_in_use starts anew, from what is in use now.
ETUDE_API void reset_most_in_use();

/// Gives what is kept back to the system, and says how many bytes that was. Without it, what is in use or kept is at most twice
/// what was in use at once lately.
ETUDE_API int64_t release();

}  // namespace memory

/// memory::release() under PyTorch's name (torch.cuda.empty_cache).
inline int64_t empty_cache() { return memory::release(); }

}  // namespace etude
