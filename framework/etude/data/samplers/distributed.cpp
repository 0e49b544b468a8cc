// All processes know the same order; each takes the range at its rank. Where the ranges need more indices
// than there are, the first indices are repeated as often as needed.

#include "etude/data/samplers/distributed.h"

#include <algorithm>
#include <cstdint>
#include <random>

#include "etude/core/error.h"
#include "etude/data/detail/saved_index.h"

namespace etude::data::samplers {

void DistributedRandomSampler::reset(optional<size_t> new_size) {
  restart(new_size);
  order_.resize(local_sample_count() * num_replicas_);
  for (size_t i = 0; i < order_.size(); ++i) order_[i] = i % size_;
  std::mt19937 random(static_cast<uint32_t>(epoch_));
  std::shuffle(order_.begin(), order_.end(), random);
}

optional<std::vector<size_t>> DistributedRandomSampler::next(size_t batch_size) {
  if (index_ == end_) return nullopt;
  ETUDE_CHECK(end_ <= order_.size(),
              "DistributedRandomSampler: it was moved from, and its order belongs to another one now",
              "\nhint: reset() begins an epoch");
  const size_t begin = index_;
  index_ = begin + std::min(batch_size, end_ - begin);
  return std::vector<size_t>(order_.data() + begin, order_.data() + index_);
}

void DistributedRandomSampler::save(serialize::OutputArchive& archive) const {
  detail::save_index(archive, "sample_index_", index_);
  detail::save_index(archive, "epoch_", epoch_);
}

void DistributedRandomSampler::load(serialize::InputArchive& archive) {
  const size_t index = detail::load_index(archive, "sample_index_", end_ - local_sample_count(), end_);
  epoch_ = detail::load_index(archive, "epoch_", 0, PTRDIFF_MAX);
  reset(nullopt);
  index_ = index;
}

optional<std::vector<size_t>> DistributedSequentialSampler::next(size_t batch_size) {
  if (index_ == end_) return nullopt;
  std::vector<size_t> batch(std::min(batch_size, end_ - index_));
  for (size_t& i : batch) i = index_++ % size_;
  return batch;
}

void DistributedSequentialSampler::save(serialize::OutputArchive& archive) const {
  detail::save_index(archive, "sample_index_", index_);
}

void DistributedSequentialSampler::load(serialize::InputArchive& archive) {
  index_ = detail::load_index(archive, "sample_index_", end_ - local_sample_count(), end_);
}

}  // namespace etude::data::samplers
