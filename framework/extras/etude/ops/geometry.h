#pragma once

#include "etude/core/tensor.h"

// Distances and products of vectors: cdist.cpp, cross.cpp. Distances of pairs are in ops.h: pairwise_distance.

namespace etude {

/// The p-norm of the difference of each row of x1 and each row of x2: floating [..., n, m] and [..., k, m] -> [..., n, k], where
/// leading dims broadcast. The distance for p = 0 is the number of columns that differ, for infinity the largest difference. p = 2
/// takes a matrix product, which rounds more, if n or k is over 25. compute_mode 1 asks for it always, and 2 never.
ETUDE_API Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
                       optional<int64_t> compute_mode = nullopt);

/// The vector product a x b of vectors along a dim of size 3; without a dim, along the first dim of that size.
ETUDE_API Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim = nullopt);
ETUDE_API Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1);

}  // namespace etude
