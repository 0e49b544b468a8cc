#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "etude/core/export.h"

namespace etude::detail {

/// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998) and the other state of PyTorch's CPU generator.
struct ETUDE_API GeneratorImpl {
  explicit GeneratorImpl(uint64_t seed) { restart(seed); }

  /// Restarts the stream from the low 32 bits of `seed`.
  void restart(uint64_t seed);

  uint32_t word() {
    if (used_ == end_) refill();
    return outputs_[used_++];
  }
  /// Two outputs, the first one as the high half.
  uint64_t word64() {
    const uint64_t high = word();
    return high << 32 | word();
  }
  /// The next n outputs.
  void words(uint32_t* out, int64_t n);

  /// The size of a state in PyTorch, and in PyTorch before 1.4.
  static constexpr int64_t kStateBytes = 5056, kLegacyStateBytes = 5048;
  /// Writes kStateBytes.
  void write_state(std::byte* out) const;
  /// Reads a state of either size; returns false and changes nothing if the bytes are not a valid state.
  bool read_state(const std::byte* in, int64_t bytes);

  std::mutex mutex;           // held while a tensor is filled, so that fills from two threads do not mix
  uint64_t initial_seed = 0;  // all 64 bits
  std::optional<double> next_normal;       // the second value of the last pair of scalar normals
  std::optional<float> next_float_normal;  // only for PyTorch's states: nothing here draws float pairs

 private:
  static constexpr int kWords = 624;

  void twist_all();
  void temper_all(uint32_t* out) const;
  void refill();

  alignas(64) uint32_t state_[kWords];
  alignas(64) uint32_t outputs_[kWords];  // the state, tempered
  int used_ = 0, end_ = 0;                // the unused outputs are [used_, end_)
};

}  // namespace etude::detail
