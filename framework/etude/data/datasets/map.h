#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "etude/data/datasets/base.h"

namespace etude::data::datasets {

namespace detail {
template <bool C, typename T>
using optional_if_t = std::conditional_t<C, optional<T>, T>;
}  // namespace detail

/// A dataset and a transform of its batches (torch::data::datasets::MapDataset).
template <typename SourceDataset, typename AppliedTransform>
class MapDataset
    : public BatchDataset<
          MapDataset<SourceDataset, AppliedTransform>,
          detail::optional_if_t<SourceDataset::is_stateful, typename AppliedTransform::OutputBatchType>,
          typename SourceDataset::BatchRequestType> {
 public:
  using DatasetType = SourceDataset;
  using TransformType = AppliedTransform;
  using BatchRequestType = typename SourceDataset::BatchRequestType;
  using OutputBatchType = typename MapDataset::BatchType;

  MapDataset(DatasetType dataset, TransformType transform)
      : dataset_(std::move(dataset)), transform_(std::move(transform)) {}

  OutputBatchType get_batch(BatchRequestType request) override {
    if constexpr (SourceDataset::is_stateful) {
      auto batch = dataset_.get_batch(std::move(request));
      if (!batch) return nullopt;
      return transform_.apply_batch(*std::move(batch));
    } else {
      return transform_.apply_batch(dataset_.get_batch(std::move(request)));
    }
  }

  optional<size_t> size() const override { return dataset_.size(); }
  /// For stateful datasets.
  void reset() { dataset_.reset(); }

  const SourceDataset& dataset() noexcept { return dataset_; }
  const AppliedTransform& transform() noexcept { return transform_; }

 private:
  SourceDataset dataset_;
  AppliedTransform transform_;
};

/// A dataset with a transform applied to every batch (torch::data::datasets::map).
template <typename DatasetType, typename TransformType>
MapDataset<DatasetType, TransformType> map(DatasetType dataset, TransformType transform) {
  using Taken = detail::optional_if_t<DatasetType::is_stateful, typename TransformType::InputBatchType>;
  static_assert(std::is_same_v<typename DatasetType::BatchType, Taken>,
                "the transform does not take the batches of the dataset");
  return {std::move(dataset), std::move(transform)};
}

}  // namespace etude::data::datasets
