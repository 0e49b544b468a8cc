#pragma once

#include <vector>

#include "etude/core/tensor.h"

namespace etude::detail {

/// What tensors pick out of self: indices[d] belongs to dim d, undefined where the dim is taken whole. An
/// index is int64, or a mask (bool or uint8) that stands for as many dims as it has. The indices are
/// broadcast with each other, and their dims take the place of those that they index, or the front if those
/// are not side by side. Differentiable.
Tensor index_with(const Tensor& self, const std::vector<Tensor>& indices);

/// Writes value, broadcast, to the elements that the indices pick; of several values for one element the last
/// stays, or with accumulate all are added to it. Differentiable.
Tensor& index_put_with(const Tensor& self, const std::vector<Tensor>& indices, const Tensor& value,
                       bool accumulate = false);

/// A view of t without its leading dims of size one.
Tensor without_leading_ones(const Tensor& t);

}  // namespace etude::detail
