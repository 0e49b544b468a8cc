#include "etude/data/samplers/sequential.h"

#include <algorithm>
#include <numeric>

#include "etude/data/detail/saved_index.h"

namespace etude::data::samplers {

optional<std::vector<size_t>> SequentialSampler::next(size_t batch_size) {
  if (index_ == size_) return nullopt;
  std::vector<size_t> batch(std::min(batch_size, size_ - index_));
  std::iota(batch.begin(), batch.end(), index_);
  index_ += batch.size();
  return batch;
}

void SequentialSampler::save(serialize::OutputArchive& archive) const {
  detail::save_index(archive, "index", index_);
}

void SequentialSampler::load(serialize::InputArchive& archive) {
  index_ = detail::load_index(archive, "index", 0, size_);
}

}  // namespace etude::data::samplers
