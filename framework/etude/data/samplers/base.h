#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/options.h"
#include "etude/io/archives.h"

namespace etude::data::samplers {

/// Chooses the examples of the next batch (torch::data::samplers::Sampler).
template <typename BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;

  virtual ~Sampler() = default;

  /// Begins an epoch, with another number of examples if given.
  virtual void reset(optional<size_t> new_size) = 0;
  /// The next request, for at most batch_size examples; nullopt when the epoch is over.
  virtual optional<BatchRequest> next(size_t batch_size) = 0;

  /// A sampler that cannot be saved need not override these.
  virtual void save(serialize::OutputArchive&) const {
    throw NotImplementedError("this sampler has no save()");
  }
  virtual void load(serialize::InputArchive&) { throw NotImplementedError("this sampler has no load()"); }
};

}  // namespace etude::data::samplers
