#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/export.h"
#include "etude/data/samplers/base.h"

namespace etude::data::samplers {

/// Splits the indices among several processes (torch::data::samplers::DistributedSampler). All parts have the
/// same size: with allow_duplicates some indices are repeated, otherwise some are left out.
template <typename BatchRequest = std::vector<size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  explicit DistributedSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                              bool allow_duplicates = true)
      : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
    ETUDE_CHECK_VALUE(rank < num_replicas, "DistributedSampler: rank ", rank, " of ", num_replicas,
                      " replicas");
    restart(size);
  }

  /// Sets the epoch that the next reset() begins; it must be the same in all processes.
  void set_epoch(size_t epoch) { epoch_ = epoch; }
  size_t epoch() const { return epoch_; }
  /// The position in the order of all processes.
  size_t index() const noexcept { return index_; }

 protected:
  /// The number of indices in this part.
  size_t local_sample_count() const {
    return (allow_duplicates_ ? size_ + num_replicas_ - 1 : size_) / num_replicas_;
  }
  void restart(optional<size_t> new_size) {
    size_ = new_size.value_or(size_);
    index_ = rank_ * local_sample_count();
    end_ = index_ + local_sample_count();
  }

  size_t size_, num_replicas_, rank_;
  size_t epoch_ = 0, index_ = 0, end_ = 0;  // indices from index_ to end_ are left in the epoch
  bool allow_duplicates_;
};

/// This process's part of the indices, in an order that depends only on the epoch
/// (torch::data::samplers::DistributedRandomSampler).
class ETUDE_API DistributedRandomSampler : public DistributedSampler<> {
 public:
  explicit DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                                    bool allow_duplicates = true)
      : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
    DistributedRandomSampler::reset(size);
  }

  void reset(optional<size_t> new_size = nullopt) override;
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Saves epoch() and the position, but not the size.
  void save(serialize::OutputArchive& archive) const override;
  /// Continues where save() was called. Throws Error for a position outside this part.
  void load(serialize::InputArchive& archive) override;

 private:
  std::vector<size_t> order_;
};

/// This process's part of the indices in their order (torch::data::samplers::DistributedSequentialSampler).
class ETUDE_API DistributedSequentialSampler : public DistributedSampler<> {
 public:
  using DistributedSampler::DistributedSampler;

  void reset(optional<size_t> new_size = nullopt) override { restart(new_size); }
  optional<std::vector<size_t>> next(size_t batch_size) override;
  /// Saves the position in the order of all processes.
  void save(serialize::OutputArchive& archive) const override;
  /// Continues where save() was called. Throws Error for a position outside this part.
  void load(serialize::InputArchive& archive) override;
};

}  // namespace etude::data::samplers
