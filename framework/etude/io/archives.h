#pragma once

namespace etude::serialize {

class InputArchive;
class OutputArchive;

/// Saves an object that has save(archive), such as an optimizer, a sampler or a stateful dataset.
template <typename Saved>
auto operator<<(OutputArchive& archive, const Saved& saved) -> decltype(saved.save(archive), archive) {
  saved.save(archive);
  return archive;
}

/// Loads what an object of the same class saved.
template <typename Saved>
auto operator>>(InputArchive& archive, Saved& saved) -> decltype(saved.load(archive), archive) {
  saved.load(archive);
  return archive;
}

}  // namespace etude::serialize
