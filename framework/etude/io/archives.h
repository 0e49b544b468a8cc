#pragma once

namespace etude::serialize {

class InputArchive;
class OutputArchive;

/// Saves what has a save(archive), as optimizers, samplers and stateful datasets have.
template <typename Saved>
auto operator<<(OutputArchive& archive, const Saved& saved) -> decltype(saved.save(archive), archive) {
  saved.save(archive);
  return archive;
}

/// Loads what was saved of one of the same class.
template <typename Saved>
auto operator>>(InputArchive& archive, Saved& saved) -> decltype(saved.load(archive), archive) {
  saved.load(archive);
  return archive;
}

}  // namespace etude::serialize
