#include "etude/data/samplers/stream.h"

#include <algorithm>

namespace etude::data::samplers {

BatchSize::~BatchSize() = default;

void StreamSampler::reset(optional<size_t> new_size) {
  epoch_size_ = new_size.value_or(epoch_size_);
  given_ = 0;
}

optional<BatchSize> StreamSampler::next(size_t batch_size) {
  if (given_ == epoch_size_) return nullopt;
  const size_t count = std::min(batch_size, epoch_size_ - given_);
  given_ += count;
  return BatchSize(count);
}

}  // namespace etude::data::samplers
