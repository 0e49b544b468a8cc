#pragma once

#include <cstdint>
#include <memory>

#include "etude/core/export.h"

namespace etude {

class Tensor;

namespace detail {
struct GeneratorImpl;
}

/// A stream of random numbers: the standard 32-bit Mersenne Twister, drawn from as PyTorch's CPU generator
/// draws (at::Generator). Copies name the same stream; a new one has the seed 67280421310721.
class ETUDE_API Generator {
 public:
  Generator();
  explicit Generator(uint64_t seed);

  /// Starts the stream of `seed` anew. Only its low 32 bits matter to the stream; initial_seed() keeps all 64.
  Generator& manual_seed(uint64_t seed);
  void set_current_seed(uint64_t seed) { manual_seed(seed); }
  uint64_t initial_seed() const;
  uint64_t current_seed() const { return initial_seed(); }
  /// Draws a seed from the operating system, uses it and returns it.
  uint64_t seed();

  /// Where the stream stands, as the 5056 bytes that PyTorch has for it (torch.get_rng_state).
  Tensor get_state() const;
  /// Goes on where the generator stood that gave the state, this one or PyTorch's (torch.set_rng_state); bytes that are
  /// no state throw Error and change nothing.
  void set_state(const Tensor& new_state);
  /// Whether it names a stream. One that was moved from names none: random functions then draw from the default generator, and
  /// all else here is refused.
  bool defined() const { return impl_ != nullptr; }
  /// Another generator whose stream stands where this one's does.
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

/// For a scope this thread's default generator is another one, so that the one of all threads stays where it was.
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
