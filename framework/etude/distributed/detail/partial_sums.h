#pragma once

#include <vector>

#include "etude/core/tensor.h"

namespace etude::distributed::detail {

/// The sum of tensors that come one after the other, in the order of tree_sum: that of a balanced binary tree over all of them,
/// in which an undefined tensor adds nothing. It keeps one tensor for each power of two in the number of those that came.
class PartialSums {
 public:
  /// All but the last. Takes the memory of `part`, which nobody else may have.
  void add(Tensor part);
  /// The sum of all, of which `last` is the last. Begins anew.
  Tensor total(const Tensor& last);
  void clear();

 private:
  std::vector<Tensor> blocks_;  // of 1, 2, 4, ... parts
  unsigned count_ = 0;
};

}  // namespace etude::distributed::detail
