#include "etude/core/generator.h"

#include <algorithm>
#include <random>

#include "etude/core/detail/generator_impl.h"
#include "etude/core/detail/vectorised.h"
#include "etude/core/error.h"

namespace etude {
namespace {

thread_local Generator* kept_apart = nullptr;
constexpr uint64_t kDefaultSeed = 67280421310721;  // PyTorch's seed of a new generator

uint64_t system_seed() {
  std::random_device device;
  const uint64_t high = device();
  return high << 32 | device();
}

uint32_t twist(uint32_t a, uint32_t b) {
  const uint32_t joined = (a & 0x80000000u) | (b & 0x7fffffffu);
  return (joined >> 1) ^ ((0u - (b & 1u)) & 0x9908b0dfu);
}

uint32_t temper(uint32_t y) {
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

}  // namespace

namespace detail {

void GeneratorImpl::restart(uint64_t seed) {
  initial_seed = seed;
  next_normal.reset();
  next_float_normal.reset();
  state_[0] = static_cast<uint32_t>(seed);
  for (uint32_t j = 1; j < kWords; ++j) state_[j] = 1812433253u * (state_[j - 1] ^ (state_[j - 1] >> 30)) + j;
  used_ = end_ = 0;
}

void GeneratorImpl::twist_all() {
  vectorised([s = state_] {
    constexpr int n = kWords, m = 397;
    for (int j = 0; j < n - m; ++j) s[j] = s[j + m] ^ twist(s[j], s[j + 1]);
    for (int j = n - m; j < n - 1; ++j) s[j] = s[j + m - n] ^ twist(s[j], s[j + 1]);
    s[n - 1] = s[m - 1] ^ twist(s[n - 1], s[0]);
  });
}

void GeneratorImpl::temper_all(uint32_t* out) const {
  vectorised([s = state_, out] {
    for (int j = 0; j < kWords; ++j) out[j] = temper(s[j]);
  });
}

void GeneratorImpl::refill() {
  twist_all();
  temper_all(outputs_);
  used_ = 0;
  end_ = kWords;
}

void GeneratorImpl::words(uint32_t* out, int64_t n) {
  while (n > 0) {
    if (used_ == end_ && n >= kWords) {  // write directly into the result
      twist_all();
      temper_all(out);
      used_ = end_ = kWords;
      out += kWords;
      n -= kWords;
      continue;
    }
    if (used_ == end_) refill();
    const auto count = static_cast<int>(std::min<int64_t>(n, end_ - used_));
    std::copy_n(outputs_ + used_, count, out);
    used_ += count;
    out += count;
    n -= count;
  }
}

}  // namespace detail

Generator::Generator() : Generator(kDefaultSeed) {}
Generator::Generator(uint64_t seed) : impl_(std::make_shared<detail::GeneratorImpl>(seed)) {}

detail::GeneratorImpl& Generator::impl() const {
  ETUDE_CHECK(defined(), "Generator: it was moved from, and its stream belongs to another one now",
              "\nhint: copies name the same stream; assign one, or Generator(seed)");
  return *impl_;
}

Generator& Generator::manual_seed(uint64_t seed) {
  const std::lock_guard<std::mutex> lock(impl().mutex);
  impl().restart(seed);
  return *this;
}

uint64_t Generator::initial_seed() const {
  const std::lock_guard<std::mutex> lock(impl().mutex);
  return impl().initial_seed;
}

uint64_t Generator::seed() {
  const uint64_t seed = system_seed();
  manual_seed(seed);
  return seed;
}

uint32_t Generator::random() {
  const std::lock_guard<std::mutex> lock(impl().mutex);
  return impl().word();
}

uint64_t Generator::random64() {
  const std::lock_guard<std::mutex> lock(impl().mutex);
  return impl().word64();
}

void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

Generator& default_generator() {
  static Generator generator(system_seed());
  return kept_apart ? *kept_apart : generator;
}

detail::KeepRandomState::KeepRandomState() : before_(kept_apart) { kept_apart = &own_; }
detail::KeepRandomState::~KeepRandomState() { kept_apart = before_; }

}  // namespace etude
