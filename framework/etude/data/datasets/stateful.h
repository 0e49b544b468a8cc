#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/error.h"
#include "etude/data/datasets/base.h"

namespace etude::serialize {
class OutputArchive;
class InputArchive;
}  // namespace etude::serialize

namespace etude::data::datasets {

/// A dataset that knows itself what comes next, and gives an empty batch when the epoch ends
/// (torch::data::datasets::StatefulDataset).
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, optional<Batch>, BatchRequest> {
 public:
  /// Begins an epoch.
  virtual void reset() = 0;

  /// A dataset that can't be saved leaves these out.
  virtual void save(serialize::OutputArchive&) const {
    throw NotImplementedError("this dataset has no save()");
  }
  virtual void load(serialize::InputArchive&) { throw NotImplementedError("this dataset has no load()"); }
};

/// Saves a stateful dataset, so that save() takes it.
template <typename... Args>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const StatefulDataset<Args...>& dataset) {
  dataset.save(archive);
  return archive;
}

/// Loads what was saved of a stateful dataset of the same class, so that load() takes it.
template <typename... Args>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, StatefulDataset<Args...>& dataset) {
  dataset.load(archive);
  return archive;
}

}  // namespace etude::data::datasets
