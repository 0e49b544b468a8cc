// Random numbers: the Mersenne Twister MT19937, and how PyTorch turns its words into numbers on a CPU.
#pragma once

#include <random>

#include "mini/ops.h"

namespace mini {

struct Generator {
  explicit Generator(uint64_t seed) : words(static_cast<uint32_t>(seed)) {}
  void manual_seed(uint64_t seed) { *this = Generator(seed); }
  void seed() { manual_seed(std::random_device()()); }

  uint32_t random() { return static_cast<uint32_t>(words()); }
  uint64_t random64() {
    const uint64_t high = random();
    return high << 32 | random();
  }
  /// In [0, 1): 24 bits for a float, 53 for a double.
  float uniform() { return static_cast<float>(random() & 0xffffff) * 0x1p-24f; }
  double uniform64() { return static_cast<double>(random64() & 0x1fffffffffffff) * 0x1p-53; }
  /// Box and Muller's method: u1 and u2 give sqrt(-2 log(1 - u1)) cos(2 pi u2) now, and the same with sin the next time.
  double normal() {
    if (next) return *std::exchange(next, std::nullopt);
    const double u2 = uniform64(), u1 = uniform64(), r = std::sqrt(-2 * std::log(1 - u1)),
                 angle = 2 * std::acos(-1.0) * u2;
    next = r * std::sin(angle);
    return r * std::cos(angle);
  }
  std::mt19937 words;
  std::optional<double> next;
};

inline Generator& default_generator() {
  static Generator generator{std::random_device()()};
  return generator;
}
inline void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

/// Fills x in the order of its memory with the numbers that `draw` returns.
template <typename Draw>
const Tensor& fill_with(const Tensor& x, const Draw& draw) {
  check_writable(x);
  Sizes order = all_dims(x);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return x.stride(a) > x.stride(b); });
  const Tensor in_order = x.detach().permute(order);
  dispatch(x.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for_each(
        in_order.sizes(), [&](T& y) { y = static_cast<T>(draw()); }, 0, Elements<T>(in_order));
  });
  return x;
}
inline const Tensor& Tensor::uniform_(double from, double to) const {
  const auto a = static_cast<float>(from), b = static_cast<float>(to);
  return fill_with(*this, [=] {
    const float v = std::fma(default_generator().uniform(), b - a, a);
    return v < b ? v : a;  // rounding may reach b
  });
}
inline const Tensor& Tensor::bernoulli_(double p) const {
  return fill_with(*this, [=] { return default_generator().uniform64() < p; });
}
/// Contiguous tensors of 16 or more elements are filled in blocks of 16: the first half of a block is u1, the second half u2. If the
/// length is not a multiple of 16, the last 16 elements are drawn again.
inline const Tensor& Tensor::normal_(double mean, double std) const {
  const int64_t n = numel();
  if (n < 16 || !is_contiguous())
    return fill_with(*this, [=] { return std::fma(default_generator().normal(), std, mean); });
  std::vector<float> u(static_cast<size_t>(n));
  for (float& v : u) v = default_generator().uniform();
  const auto transform = [&](float* block) {
    for (int j = 0; j < 8; ++j) {
      const double r = std::sqrt(-2 * std::log(1 - static_cast<double>(block[j]))),
                   angle = 2 * std::acos(-1.0) * static_cast<double>(block[j + 8]);
      block[j] = static_cast<float>(r * std::cos(angle) * std + mean);
      block[j + 8] = static_cast<float>(r * std::sin(angle) * std + mean);
    }
  };
  for (int64_t i = 0; i + 16 <= n; i += 16) transform(u.data() + i);
  if (n % 16 != 0) {
    float* const last = u.data() + n - 16;
    for (int j = 0; j < 16; ++j) last[j] = default_generator().uniform();
    transform(last);
  }
  const float* next = u.data();
  return fill_with(*this, [&next] { return *next++; });
}
inline Tensor rand(const Sizes& sizes) { return empty(sizes).uniform_(); }
inline Tensor randn(const Sizes& sizes) { return empty(sizes).normal_(); }
inline Tensor randint(int64_t low, int64_t high, const Sizes& sizes) {
  check(low < high, "random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  const auto range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return fill_with(empty(sizes, kLong), [=] {
    const uint64_t word = range >> 28 ? default_generator().random64() : default_generator().random();
    return static_cast<int64_t>(word % range + static_cast<uint64_t>(low));
  });
}
inline Tensor randint(int64_t high, const Sizes& sizes) { return randint(0, high, sizes); }

// y = x noise, where noise is 0 with probability p and otherwise 1 / (1 - p),  dx = dy noise
inline Tensor dropout(const Tensor& x, double p, bool train) {
  check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
  if (!train || p == 0) return x;
  const Tensor noise = p == 1 ? zeros(x.sizes()) : empty(x.sizes()).bernoulli_(1 - p) / (1 - p);
  return x * noise;
}

}  // namespace mini
