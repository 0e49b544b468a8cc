#pragma once

#include "etude/data/samplers/base.h"

namespace etude::data::samplers {

/// Saves a sampler, so that save() takes it (torch/data/samplers/serialize.h).
template <typename BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}

/// Loads what was saved of a sampler of the same class, so that load() takes it.
template <typename BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

}  // namespace etude::data::samplers
