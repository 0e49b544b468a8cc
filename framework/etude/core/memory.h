#pragma once

#include <cstdint>
#include <memory>

#include "etude/core/export.h"

namespace etude {

using std::make_unique;  // torch::make_unique

/// Gives memory back to the system: up to 4 GiB of what tensors have freed is kept for others to come
/// (torch.cuda.empty_cache). Returns how many bytes that was.
ETUDE_API int64_t empty_cache();

}  // namespace etude
