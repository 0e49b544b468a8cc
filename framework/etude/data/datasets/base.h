#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/options.h"
#include "etude/data/example.h"

namespace etude::data::datasets {

template <typename SourceDataset, typename AppliedTransform>
class MapDataset;
template <typename DatasetType, typename TransformType>
MapDataset<DatasetType, TransformType> map(DatasetType dataset, TransformType transform);

namespace detail {
template <typename T>
struct is_optional : std::false_type {};
template <typename T>
struct is_optional<optional<T>> : std::true_type {};
}  // namespace detail

/// A dataset that is read in batches (torch::data::datasets::BatchDataset). Self is the derived class. A
/// dataset with optional batches is stateful: nullopt ends the epoch.
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = ArrayRef<size_t>>
class BatchDataset {
 public:
  using SelfType = Self;
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;
  static constexpr bool is_stateful = detail::is_optional<BatchType>::value;

  virtual ~BatchDataset() = default;

  /// The batch for a request: indices, a number of examples, or anything else that the dataset understands.
  virtual Batch get_batch(BatchRequest request) = 0;
  /// The number of examples, if it is known.
  virtual optional<size_t> size() const = 0;

  /// The dataset with a transform applied to every batch: a copy of this dataset, or this one moved if it is a temporary.
  template <typename TransformType>
  MapDataset<Self, TransformType> map(TransformType transform) & {
    return datasets::map(static_cast<Self&>(*this), std::move(transform));
  }
  template <typename TransformType>
  MapDataset<Self, TransformType> map(TransformType transform) && {
    return datasets::map(std::move(static_cast<Self&>(*this)), std::move(transform));
  }
};

/// A dataset in which every example has an index (torch::data::datasets::Dataset).
template <typename Self, typename SingleExample = Example<>>
class Dataset : public BatchDataset<Self, std::vector<SingleExample>> {
 public:
  using ExampleType = SingleExample;

  /// The example at an index.
  virtual ExampleType get(size_t index) = 0;

  /// The examples at the indices, one by one.
  std::vector<ExampleType> get_batch(ArrayRef<size_t> indices) override {
    std::vector<ExampleType> batch;
    batch.reserve(indices.size());
    for (const size_t index : indices) batch.push_back(get(index));
    return batch;
  }
};

/// A dataset without indices: requests give the batch size (torch::data::datasets::StreamDataset).
template <typename Self, typename Batch = std::vector<Example<>>>
using StreamDataset = BatchDataset<Self, Batch, /*BatchRequest=*/size_t>;

}  // namespace etude::data::datasets
