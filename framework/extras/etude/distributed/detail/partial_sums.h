#pragma once

#include <vector>

#include "etude/core/tensor.h"

namespace etude::distributed::detail {

/// The sum of consecutive tensors in the order of tree_sum, a balanced binary tree over all of them;
/// undefined tensors add nothing. Keeps one tensor for each power of two in the number of tensors so far.
class PartialSums {
 public:
  /// Adds a tensor that is not the last. Takes over the memory of `part`, which must not be shared.
  void add(Tensor part);
  /// The sum of all tensors, of which `last` is the last. Starts anew.
  Tensor total(const Tensor& last);
  void clear();

 private:
  std::vector<Tensor> blocks_;  // of 1, 2, 4, ... parts
  unsigned count_ = 0;
};

}  // namespace etude::distributed::detail
