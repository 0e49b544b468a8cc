#pragma once

#include <cstdint>
#include <memory>

#include "etude/core/export.h"

namespace etude {

class Tensor;

namespace detail {
struct GeneratorImpl;
}

/// A stream of random numbers: the standard 32-bit Mersenne Twister, with the draws of PyTorch's CPU generator
/// (at::Generator). Copies share one stream; a new generator has the seed 67280421310721.
class ETUDE_API Generator {
 public:
  Generator();
  explicit Generator(uint64_t seed);

  /// Restarts the stream from `seed`. Only its low 32 bits affect the stream; initial_seed() keeps all 64.
  Generator& manual_seed(uint64_t seed);
  void set_current_seed(uint64_t seed) { manual_seed(seed); }
  uint64_t initial_seed() const;
  uint64_t current_seed() const { return initial_seed(); }
  /// Draws a seed from the operating system, uses it and returns it.
  uint64_t seed();

  /// The state of the stream, in PyTorch's format of 5056 bytes (torch.get_rng_state).
  Tensor get_state() const;
  /// Continues from a state that get_state() returned, here or in PyTorch (torch.set_rng_state). Throws Error and changes
  /// nothing if the bytes are not a valid state.
  void set_state(const Tensor& new_state);
  /// Whether it has a stream. A moved-from generator has none: random functions then draw from the default generator, and
  /// the other methods here throw.
  bool defined() const { return impl_ != nullptr; }
  /// A new generator with a copy of this one's state.
  Generator clone() const;

  /// The next 32-bit output.
  uint32_t random();
  /// The next two outputs, the first one as the high half.
  uint64_t random64();

  friend bool operator==(const Generator& a, const Generator& b) { return a.impl_ == b.impl_; }
  friend bool operator!=(const Generator& a, const Generator& b) { return a.impl_ != b.impl_; }

  /// Private to the framework.
  detail::GeneratorImpl& impl() const;

 private:
  std::shared_ptr<detail::GeneratorImpl> impl_;
};

/// Seeds the default generator (torch::manual_seed). A negative seed is taken modulo 2^64.
ETUDE_API void manual_seed(uint64_t seed);

/// The generator that every random function uses when none is given.
ETUDE_API Generator& default_generator();

namespace detail {
/// LibTorch's name for the default CPU generator.
inline Generator& getDefaultCPUGenerator() { return default_generator(); }

/// For its scope, gives this thread a default generator of its own, so that the shared one does not advance.
class ETUDE_API KeepRandomState {
 public:
  KeepRandomState();
  ~KeepRandomState();
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  Generator own_;
  Generator* before_;
};
}  // namespace detail

}  // namespace etude
