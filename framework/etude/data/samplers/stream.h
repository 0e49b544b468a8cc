#pragma once

#include <cstddef>

#include "etude/core/export.h"
#include "etude/data/samplers/base.h"
#include "etude/data/samplers/custom_batch_request.h"

namespace etude::data::samplers {

/// A number of examples as a request (torch::data::samplers::BatchSize).
struct ETUDE_API BatchSize : public CustomBatchRequest {
  explicit BatchSize(size_t size) : size_(size) {}
  size_t size() const noexcept override { return size_; }
  operator size_t() const noexcept { return size_; }
  size_t size_;
};

/// Batch sizes that together are epoch_size (torch::data::samplers::StreamSampler).
class ETUDE_API StreamSampler : public Sampler<BatchSize> {
 public:
  explicit StreamSampler(size_t epoch_size) : epoch_size_(epoch_size) {}

  void reset(optional<size_t> new_size = nullopt) override {
    epoch_size_ = new_size.value_or(epoch_size_);
    given_ = 0;
  }
  optional<BatchSize> next(size_t batch_size) override;
  /// Keeps how many examples of the epoch have been given, and not its size.
  void save(serialize::OutputArchive& archive) const override;
  /// Goes on where save() was called; more examples than the epoch has are an Error.
  void load(serialize::InputArchive& archive) override;

 private:
  size_t epoch_size_;
  size_t given_ = 0;
};

}  // namespace etude::data::samplers
