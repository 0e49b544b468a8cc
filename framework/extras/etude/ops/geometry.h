#pragma once

#include "etude/core/tensor.h"

// Products of vectors: cross.cpp.

namespace etude {

/// The vector product a x b of vectors along a dim of size 3; without a dim, along the first dim of that size.
ETUDE_API Tensor cross(const Tensor& self, const Tensor& other, optional<int64_t> dim = nullopt);
ETUDE_API Tensor linalg_cross(const Tensor& self, const Tensor& other, int64_t dim = -1);

}  // namespace etude
