#pragma once

#include "etude/ops/ops.h"

namespace etude::detail {

/// The number of rows of each step, from batch_sizes. Throws if they do not fit `rows` rows.
std::vector<int64_t> step_counts(const Tensor& batch_sizes, int64_t rows);

}  // namespace etude::detail
