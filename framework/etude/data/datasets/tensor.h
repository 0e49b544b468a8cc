#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "etude/data/datasets/base.h"
#include "etude/ops/ops.h"

namespace etude::data::datasets {

/// The rows of a tensor (torch::data::datasets::TensorDataset).
struct TensorDataset : public Dataset<TensorDataset, TensorExample> {
  /// Stacks tensors of equal sizes.
  explicit TensorDataset(const std::vector<Tensor>& tensors) : TensorDataset(stack(tensors)) {}
  explicit TensorDataset(Tensor rows) : tensor(std::move(rows)) {}

  TensorExample get(size_t index) override { return tensor[static_cast<int64_t>(index)]; }
  optional<size_t> size() const override { return static_cast<size_t>(tensor.size(0)); }

  Tensor tensor;
};

}  // namespace etude::data::datasets
