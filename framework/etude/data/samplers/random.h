#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "etude/core/export.h"
#include "etude/core/tensor.h"
#include "etude/data/samplers/base.h"

namespace etude::data::samplers {

/// All indices, each epoch in another order, which is that of randperm() and the default generator
/// (torch::data::samplers::RandomSampler). index_dtype is that of the stored order.
class ETUDE_API RandomSampler : public Sampler<> {
 public:
  explicit RandomSampler(int64_t size, ScalarType index_dtype = kLong);
  // A move copies: no sampler is without its order.
  RandomSampler(const RandomSampler&) = default;
  RandomSampler& operator=(const RandomSampler&) = default;

  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Keeps the order of the epoch and the place in it; the orders after it are the generator's.
  void save(serialize::OutputArchive& archive) const override;
  /// Goes on where save() was called, whatever size and index_dtype were.
  void load(serialize::InputArchive& archive) override;
  /// How many indices of the epoch have been given.
  size_t index() const noexcept { return static_cast<size_t>(index_); }

 private:
  Tensor indices_;
  int64_t index_ = 0;
};

}  // namespace etude::data::samplers
