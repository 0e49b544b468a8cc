#include "etude/data/samplers/stream.h"

#include <algorithm>

#include "etude/data/detail/saved_index.h"

namespace etude::data::samplers {

optional<BatchSize> StreamSampler::next(size_t batch_size) {
  if (given_ == epoch_size_) return nullopt;
  const size_t count = std::min(batch_size, epoch_size_ - given_);
  given_ += count;
  return BatchSize(count);
}

void StreamSampler::save(serialize::OutputArchive& archive) const {
  detail::save_index(archive, "examples_retrieved_so_far", given_);
}

void StreamSampler::load(serialize::InputArchive& archive) {
  given_ = detail::load_index(archive, "examples_retrieved_so_far", 0, epoch_size_);
}

}  // namespace etude::data::samplers
