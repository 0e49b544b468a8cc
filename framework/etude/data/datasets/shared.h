#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "etude/core/error.h"
#include "etude/data/datasets/base.h"

namespace etude::data::datasets {

/// A dataset that its copies share, for example in worker threads. It must allow calls from several threads
/// at once (torch::data::datasets::SharedBatchDataset).
template <typename UnderlyingDataset>
class SharedBatchDataset
    : public BatchDataset<SharedBatchDataset<UnderlyingDataset>, typename UnderlyingDataset::BatchType,
                          typename UnderlyingDataset::BatchRequestType> {
 public:
  using BatchType = typename UnderlyingDataset::BatchType;
  using BatchRequestType = typename UnderlyingDataset::BatchRequestType;

  SharedBatchDataset(std::shared_ptr<UnderlyingDataset> shared_dataset)
      : dataset_(std::move(shared_dataset)) {}

  BatchType get_batch(BatchRequestType request) override { return get().get_batch(std::move(request)); }
  optional<size_t> size() const override { return get().size(); }
  /// For stateful datasets.
  void reset() { get().reset(); }

  UnderlyingDataset& operator*() { return get(); }
  const UnderlyingDataset& operator*() const { return get(); }
  UnderlyingDataset* operator->() { return &get(); }
  const UnderlyingDataset* operator->() const { return &get(); }

 private:
  UnderlyingDataset& get() const {
    ETUDE_CHECK(dataset_, "SharedBatchDataset: it has no dataset",
                "\nit was moved from, or made of a null pointer");
    return *dataset_;
  }
  std::shared_ptr<UnderlyingDataset> dataset_;
};

/// Makes a shared dataset from constructor arguments.
template <typename UnderlyingDataset, typename... Args>
SharedBatchDataset<UnderlyingDataset> make_shared_dataset(Args&&... args) {
  return std::make_shared<UnderlyingDataset>(std::forward<Args>(args)...);
}

}  // namespace etude::data::datasets
