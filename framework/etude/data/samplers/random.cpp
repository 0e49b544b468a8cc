#include "etude/data/samplers/random.h"

#include <algorithm>
#include <utility>

#include "etude/data/detail/saved_index.h"
#include "etude/ops/ops.h"

namespace etude::data::samplers {

RandomSampler::RandomSampler(int64_t size, ScalarType index_dtype) : indices_(randperm(size, index_dtype)) {}

void RandomSampler::reset(optional<size_t> new_size) {
  const int64_t size = new_size ? static_cast<int64_t>(*new_size) : indices_.numel();
  indices_ = randperm(size, indices_.scalar_type());
  index_ = 0;
}

optional<std::vector<size_t>> RandomSampler::next(size_t batch_size) {
  const size_t left = static_cast<size_t>(indices_.numel() - index_);
  if (left == 0) return nullopt;
  const auto count = static_cast<int64_t>(std::min(batch_size, left));
  const Tensor batch = indices_.slice(0, index_, index_ + count).to(kLong);
  index_ += count;
  const auto* begin = batch.data_ptr<int64_t>();
  return std::vector<size_t>(begin, begin + count);
}

void RandomSampler::save(serialize::OutputArchive& archive) const {
  detail::save_index(archive, "index", index());
  archive.write("indices", indices_, /*is_buffer=*/true);
}

void RandomSampler::load(serialize::InputArchive& archive) {
  Tensor saved;
  archive.read("indices", saved, /*is_buffer=*/true);
  ETUDE_CHECK(saved.dim() == 1, "the saved indices have ", saved.dim(), " dims; a RandomSampler takes 1");
  const size_t index = detail::load_index(archive, "index", 0, static_cast<size_t>(saved.numel()));
  indices_ = std::move(saved);
  index_ = static_cast<int64_t>(index);
}

}  // namespace etude::data::samplers
