#pragma once

#include "etude/ops/ops.h"

namespace etude::detail {

/// How many rows belong to each step, as batch_sizes says for so many rows; refuses what does not.
std::vector<int64_t> step_counts(const Tensor& batch_sizes, int64_t rows);

}  // namespace etude::detail
