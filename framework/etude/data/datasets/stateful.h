#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/error.h"
#include "etude/data/datasets/base.h"
#include "etude/io/archives.h"

namespace etude::data::datasets {

/// A dataset that itself decides what comes next, and returns nullopt when the epoch ends
/// (torch::data::datasets::StatefulDataset).
template <typename Self, typename Batch = std::vector<Example<>>, typename BatchRequest = size_t>
class StatefulDataset : public BatchDataset<Self, optional<Batch>, BatchRequest> {
 public:
  /// Begins an epoch.
  virtual void reset() = 0;

  /// The default throws: a dataset that cannot be saved need not override save and load.
  virtual void save(serialize::OutputArchive&) const {
    throw NotImplementedError("this dataset has no save()");
  }
  virtual void load(serialize::InputArchive&) { throw NotImplementedError("this dataset has no load()"); }
};

}  // namespace etude::data::datasets
