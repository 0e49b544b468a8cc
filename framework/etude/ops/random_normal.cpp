// Normal numbers by the pairs of Box and Muller: uniform u1, u2 give r cos t and r sin t, where r = sqrt(-2 log u1) and
// t = 2 pi u2.
//
// PyTorch's stream of float blocks computes log, sin and cos with the polynomials of the Cephes library (S. Moshier) and the
// fused multiply-adds of its AVX2 build. They are written out here so that every machine gives the same bits.

#include <cmath>

#include "etude/ops/detail/elementary.h"
#include "etude/ops/detail/random.h"

namespace etude::detail {
namespace {

constexpr double kTwoPi = 6.283185307179586;
constexpr int64_t kNormals = 16;
using Fused = Form<16, true>;

// The natural logarithm of x in (0, 1], not denormal: x = m * 2^e with m in [sqrt 1/2, sqrt 2), and log m
// from a polynomial in m - 1.
inline float block_log(float x) {
  const auto bits = bits_as<int32_t>(x);
  auto m = bits_as<float>((bits & 0x007fffff) | 0x3f000000);  // the exponent of 0.5
  float e = static_cast<float>((bits >> 23) - 127) + 1.0f;
  const bool low = m < 0.707106781186547524f;
  e = low ? e - 1.0f : e;
  m = low ? (m - 1.0f) + m : m - 1.0f;

  const float z = m * m;
  float y = m * polynomial(Fused(), m, 7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f,
                           -1.2420140846e-1f, 1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f,
                           -2.4999993993e-1f, 3.3333331174e-1f);
  y = std::fma(y, z, e * -2.12194440e-4f);
  y = std::fma(-z, 0.5f, y);
  return std::fma(e, 0.693359375f, m + y);
}

// Sine and cosine of x in [0, 2 pi]: x minus the nearest even multiple of pi / 4, in three steps, then a
// polynomial for each.
inline void block_sincos(float x, float& sine, float& cosine) {
  const int32_t j = (static_cast<int32_t>(x * 1.27323954473516f) + 1) & ~1;
  const float y = static_cast<float>(j);
  x = std::fma(y, -0.78515625f, x);
  x = std::fma(y, -2.4187564849853515625e-4f, x);
  x = std::fma(y, -3.77489497744594108e-8f, x);

  const float z = x * x;
  float c = z * polynomial(Fused(), z, 2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f);
  c = std::fma(c, z, -(z * 0.5f)) + 1.0f;
  float s = z * polynomial(Fused(), z, -1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f);
  s = std::fma(s, x, x);

  const bool swapped = (j & 2) != 0;
  sine = swapped ? c : s;
  cosine = swapped ? s : c;
  sine = (j & 4) != 0 ? -sine : sine;
  cosine = ((j - 2) & 4) == 0 ? -cosine : cosine;
}

double block_log(double x) { return std::log(x); }
void block_sincos(double x, double& sine, double& cosine) {
  sine = std::sin(x);
  cosine = std::cos(x);
}

// Turns blocks of 16 uniform numbers into normal ones, in place. The numbers of a pair are 8 apart.
template <typename T>
void transform_blocks(T* d, int64_t blocks, T mean, T std) {
  vectorised([=] {
    for (int64_t b = 0; b < blocks; ++b) {
      T* const first = d + b * kNormals;
      T* const second = first + kNormals / 2;
      for (int j = 0; j < kNormals / 2; ++j) {
        const T r = std::sqrt(T(-2) * block_log(T(1) - first[j]));
        T sine, cosine;
        block_sincos(static_cast<T>(kTwoPi) * second[j], sine, cosine);
        first[j] = std::fma(r * cosine, std, mean);
        second[j] = std::fma(r * sine, std, mean);
      }
    }
  });
}

double next_pair_value(GeneratorImpl& generator) {
  if (generator.next_normal) {
    const double value = *generator.next_normal;
    generator.next_normal.reset();
    return value;
  }
  double u[2];
  fill_uniform(generator, u, 2, 0, 1);
  const double r = std::sqrt(-2.0 * std::log(1.0 - u[1])), t = kTwoPi * u[0];
  generator.next_normal = r * std::sin(t);
  return r * std::cos(t);
}

}  // namespace

template <typename T>
void fill_normal_blocks(GeneratorImpl& generator, T* out, int64_t n, double mean, double std) {
  const T m = static_cast<T>(mean), s = static_cast<T>(std);
  fill_uniform(generator, out, n, 0, 1);
  transform_blocks(out, n / kNormals, m, s);
  if (n % kNormals == 0) return;
  // The last 16 values are drawn again, over values that were finished already.
  T* const tail = out + n - kNormals;
  fill_uniform(generator, tail, kNormals, 0, 1);
  transform_blocks(tail, 1, m, s);
}

template <typename T>
void fill_normal_pairs(GeneratorImpl& generator, T* out, int64_t n, double mean, double std) {
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(std::fma(next_pair_value(generator), std, mean));
}

#define ETUDE_INSTANTIATE(T)                                                        \
  template void fill_normal_blocks<T>(GeneratorImpl&, T*, int64_t, double, double); \
  template void fill_normal_pairs<T>(GeneratorImpl&, T*, int64_t, double, double);
ETUDE_INSTANTIATE(float)
ETUDE_INSTANTIATE(double)
#undef ETUDE_INSTANTIATE

}  // namespace etude::detail
