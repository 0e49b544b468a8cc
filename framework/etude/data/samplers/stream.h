#pragma once

#include <cstddef>

#include "etude/core/export.h"
#include "etude/data/samplers/base.h"
#include "etude/data/samplers/custom_batch_request.h"

namespace etude::data::samplers {

/// A request for a number of examples (torch::data::samplers::BatchSize).
struct ETUDE_API BatchSize : public CustomBatchRequest {
  explicit BatchSize(size_t size) : size_(size) {}
  size_t size() const noexcept override { return size_; }
  operator size_t() const noexcept { return size_; }
  size_t size_;
};

/// Batch sizes that add up to epoch_size (torch::data::samplers::StreamSampler).
class ETUDE_API StreamSampler : public Sampler<BatchSize> {
 public:
  explicit StreamSampler(size_t epoch_size) : epoch_size_(epoch_size) {}

  void reset(optional<size_t> new_size = nullopt) override {
    epoch_size_ = new_size.value_or(epoch_size_);
    given_ = 0;
  }
  optional<BatchSize> next(size_t batch_size) override;
  /// Saves how many examples of the epoch have been returned, but not its size.
  void save(serialize::OutputArchive& archive) const override;
  /// Continues where save() was called. Throws Error if the saved number is larger than the epoch.
  void load(serialize::InputArchive& archive) override;

 private:
  size_t epoch_size_;
  size_t given_ = 0;
};

}  // namespace etude::data::samplers
