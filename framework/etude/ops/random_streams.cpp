// The streams of uniform, exponential, Bernoulli and integer numbers. random_normal.cpp has the normal numbers.
//
//   u32 = (output mod 2^24) * 2^-24             float
//   u64 = (64-bit output mod 2^53) * 2^-53      double
//   uniform(a, b)  = fma(u, b - a, a), or a where this is rounded to b
//   exponential(l) = -1/l * log(1 - u64)        for every type
//   bernoulli(p)   = (u64 < p)                  for every type

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "etude/ops/detail/random.h"

namespace etude::detail {
namespace {

// Values per chunk: outputs and values fit the first-level cache, and most chunks use whole states of 624 outputs.
constexpr int64_t kChunk = 4 * 312;

// Calls f(outputs, start, count), with `words` outputs per value, for consecutive chunks of [0, n).
template <int words, typename F>
void in_chunks(GeneratorImpl& generator, int64_t n, F&& f) {
  alignas(64) uint32_t outputs[words * kChunk];
  for (int64_t start = 0; start < n; start += kChunk) {
    const int64_t count = std::min(kChunk, n - start);
    generator.words(outputs, words * count);
    f(static_cast<const uint32_t*>(outputs), start, count);
  }
}

float unit(uint32_t output) {
  return static_cast<float>(static_cast<int32_t>(output & 0xffffffu)) * 0x1p-24f;
}

// The low 53 bits of two outputs. Converted in two parts, because few processors convert 64-bit integers in vectors;
// both sums are exact.
double unit(uint32_t high, uint32_t low) {
  return static_cast<double>(static_cast<int32_t>(high & 0x1fffffu)) * 0x1p-21 +
         static_cast<double>(low) * 0x1p-53;
}

uint64_t joined(uint32_t high, uint32_t low) { return static_cast<uint64_t>(high) << 32 | low; }

// Loops compiled for each kind of processor take numbers by value: otherwise the compiler would assume that y[i] may alias them.

// v, or the begin of the range if rounding has made v its end.
template <typename T>
T below(T v, T from, T to) {
  return v == to ? from : v;
}

void uniform_row(const uint32_t* r, float* y, int64_t n, float from, float to) {
  const float width = to - from;
  for (int64_t i = 0; i < n; ++i) y[i] = below(std::fma(unit(r[i]), width, from), from, to);
}

void uniform_row(const uint32_t* r, double* y, int64_t n, double from, double to) {
  const double width = to - from;
  for (int64_t i = 0; i < n; ++i) y[i] = below(std::fma(unit(r[2 * i], r[2 * i + 1]), width, from), from, to);
}

// Whether u64 * 2^53 < bound, compared in halves.
template <typename T>
void bernoulli_row(const uint32_t* r, T* y, int64_t n, uint64_t bound, T one) {
  const auto bound_high = static_cast<uint32_t>(bound >> 32), bound_low = static_cast<uint32_t>(bound);
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t high = r[2 * i] & 0x1fffffu, low = r[2 * i + 1];
    const bool below = (high < bound_high) | ((high == bound_high) & (low < bound_low));
    y[i] = below ? one : T(0);
  }
}

template <typename T>
T integer(uint64_t r, int64_t base) {
  return static_cast<T>(static_cast<int64_t>(r + static_cast<uint64_t>(base)));
}

}  // namespace

template <typename T>
void fill_uniform(GeneratorImpl& generator, T* out, int64_t n, double from, double to) {
  constexpr int outputs_per_value = std::is_same_v<T, float> ? 1 : 2;
  const T a = static_cast<T>(from), b = static_cast<T>(to);
  in_chunks<outputs_per_value>(generator, n, [=](const uint32_t* r, int64_t start, int64_t count) {
    vectorised([=] { uniform_row(r, out + start, count, a, b); });
  });
}

template <typename T>
void fill_exponential(GeneratorImpl& generator, T* out, int64_t n, double lambda) {
  const double scale = -1.0 / lambda;
  in_chunks<2>(generator, n, [=](const uint32_t* r, int64_t start, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      out[start + i] = static_cast<T>(scale * std::log(1.0 - unit(r[2 * i], r[2 * i + 1])));
  });
}

template <typename T>
void fill_bernoulli(GeneratorImpl& generator, T* out, int64_t n, double p, T one) {
  const auto bound = static_cast<uint64_t>(std::ceil(p * 0x1p53));  // p * 2^53 is exact
  in_chunks<2>(generator, n, [=](const uint32_t* r, int64_t start, int64_t count) {
    vectorised([=] { bernoulli_row(r, out + start, count, bound, one); });
  });
}

template <typename T>
void fill_integers(GeneratorImpl& generator, T* out, int64_t n, uint64_t range, int64_t base, bool wide) {
  if (wide)
    return in_chunks<2>(generator, n, [=](const uint32_t* r, int64_t start, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const uint64_t r64 = joined(r[2 * i], r[2 * i + 1]);
        out[start + i] = integer<T>(range == 0 ? r64 : r64 % range, base);
      }
    });
  const auto divisor = static_cast<uint32_t>(range);
  in_chunks<1>(generator, n, [=](const uint32_t* r, int64_t start, int64_t count) {
    for (int64_t i = 0; i < count; ++i) out[start + i] = integer<T>(r[i] % divisor, base);
  });
}

#define ETUDE_INSTANTIATE(T)                                               \
  template void fill_bernoulli<T>(GeneratorImpl&, T*, int64_t, double, T); \
  template void fill_integers<T>(GeneratorImpl&, T*, int64_t, uint64_t, int64_t, bool);
ETUDE_INSTANTIATE(bool)
ETUDE_INSTANTIATE(uint8_t)
ETUDE_INSTANTIATE(int32_t)
ETUDE_INSTANTIATE(int64_t)
ETUDE_INSTANTIATE(float)
ETUDE_INSTANTIATE(double)
#undef ETUDE_INSTANTIATE

#define ETUDE_INSTANTIATE(T)                                                  \
  template void fill_uniform<T>(GeneratorImpl&, T*, int64_t, double, double); \
  template void fill_exponential<T>(GeneratorImpl&, T*, int64_t, double);
ETUDE_INSTANTIATE(float)
ETUDE_INSTANTIATE(double)
#undef ETUDE_INSTANTIATE

}  // namespace etude::detail
