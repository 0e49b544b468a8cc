#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/export.h"
#include "etude/data/samplers/base.h"

namespace etude::data::samplers {

/// All indices in their order (torch::data::samplers::SequentialSampler).
class ETUDE_API SequentialSampler : public Sampler<> {
 public:
  explicit SequentialSampler(size_t size) : size_(size) {}

  void reset(optional<size_t> new_size = nullopt) override {
    size_ = new_size.value_or(size_);
    index_ = 0;
  }
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Saves the position in the epoch, but not the size.
  void save(serialize::OutputArchive& archive) const override;
  /// Continues where save() was called. Throws Error for a position beyond the size.
  void load(serialize::InputArchive& archive) override;
  /// How many indices of the epoch have been returned.
  size_t index() const noexcept { return index_; }

 private:
  size_t size_;
  size_t index_ = 0;
};

}  // namespace etude::data::samplers
