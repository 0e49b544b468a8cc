#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/data/samplers/base.h"

namespace etude::data::samplers {

/// All indices, each epoch in a new order from randperm() and the default generator
/// (torch::data::samplers::RandomSampler). The order is stored as index_dtype.
class ETUDE_API RandomSampler : public Sampler<> {
 public:
  explicit RandomSampler(int64_t size, ScalarType index_dtype = kLong);
  // Moving copies, so that no sampler is left without its order.
  RandomSampler(const RandomSampler&) = default;
  RandomSampler& operator=(const RandomSampler&) = default;

  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Saves the order of the epoch and the position in it; later orders come from the generator.
  void save(serialize::OutputArchive& archive) const override;
  /// Continues where save() was called; size and index_dtype may differ.
  void load(serialize::InputArchive& archive) override;
  /// How many indices of the epoch have been returned.
  size_t index() const noexcept { return static_cast<size_t>(index_); }

 private:
  Tensor indices_;
  int64_t index_ = 0;
};

}  // namespace etude::data::samplers
