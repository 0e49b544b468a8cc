#pragma once

#include <cstddef>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/options.h"
#include "etude/io/archives.h"

namespace etude::data::samplers {

/// Says which examples the next batch is made of (torch::data::samplers::Sampler).
template <typename BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;

  virtual ~Sampler() = default;

  /// Begins an epoch, if given of another number of examples.
  virtual void reset(optional<size_t> new_size) = 0;
  /// The next request, of at most batch_size examples; nothing when the epoch is over.
  virtual optional<BatchRequest> next(size_t batch_size) = 0;

  /// A sampler that can't be saved leaves these out.
  virtual void save(serialize::OutputArchive&) const {
    throw NotImplementedError("this sampler has no save()");
  }
  virtual void load(serialize::InputArchive&) { throw NotImplementedError("this sampler has no load()"); }
};

}  // namespace etude::data::samplers
