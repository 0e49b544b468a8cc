#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace etude {

namespace detail {

inline uint32_t bits_of(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

// chooses ? a : b by masks, so that loops with several choices in a row vectorise.
inline uint32_t chosen(bool chooses, uint32_t a, uint32_t b) {
  const uint32_t mask = 0u - static_cast<uint32_t>(chooses);
  return (a & mask) | (b & ~mask);
}

// Conversions between a float and 16 bits, rounding to nearest, ties to even. They have no branches, so that loops over
// them vectorise.

/// A float32 without the lower half of its bits.
struct BFloat16Format {
  static uint16_t bits(float value) {
    const uint32_t b = bits_of(value), nearest = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16;
    return static_cast<uint16_t>(value != value ? 0x7fc0u : nearest);
  }
  static float value(uint16_t bits) { return float_of(static_cast<uint32_t>(bits) << 16); }
  /// value(bits(v))
  static float rounded(float v) {
    const uint32_t b = bits_of(v);
    return float_of(chosen(v != v, 0x7fc00000u, (b + 0x7fffu + ((b >> 16) & 1u)) & 0xffff0000u));
  }
};

/// Sign, 5 exponent bits (2^-14 to 2^15) and 10 fraction bits. Shifted left by 13 bits it is a float32 whose exponent is too
/// small by 127 - 15 = 112. Subnormal numbers are multiples of 2^-24.
struct HalfFormat {
  static constexpr uint32_t one = 1u << 23;  // 1 in the exponent field

  static uint16_t bits(float value) {
    const uint32_t sign = (bits_of(value) >> 16) & 0x8000u, b = bits_of(value) & 0x7fffffffu;
    const uint32_t finite = ((b + 0xfffu + ((b >> 13) & 1u)) >> 13) - (112u << 10),
                   normal = finite < 0x7c00u ? finite
                            : b > 255 * one  ? 0x7e00u
                                             : 0x7c00u,
                   subnormal = bits_of(float_of(b) + 0.5f) - bits_of(0.5f);  // 2^-24 is the last place of 1/2
    return static_cast<uint16_t>(sign | (b < 113 * one ? subnormal : normal));
  }
  static float value(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16, b = (bits & 0x7fffu) << 13;
    const uint32_t subnormal = bits_of(static_cast<float>(bits & 0x3ff) * 0x1p-24f),
                   normal = b + chosen(b < 31 * one, 112 * one, 224 * one);
    return float_of(sign | chosen(b < one, subnormal, normal));
  }
  /// value(bits(v))
  static float rounded(float v) {
    const uint32_t sign = bits_of(v) & 0x80000000u, b = bits_of(v) & 0x7fffffffu;
    const uint32_t subnormal = bits_of((float_of(b) + 0.5f) - 0.5f),
                   normal = (b + 0xfffu + ((b >> 13) & 1u)) & 0xffffe000u,
                   finite = chosen(b < 113 * one, subnormal, normal),
                   number = chosen(finite > bits_of(65504.0f), 255 * one, finite);
    return float_of(sign | chosen(b > 255 * one, 0x7fc00000u, number));
  }
};

/// A 16-bit number of type Self. Arithmetic is done in float32 and rounded to Self; with a float or double the result has
/// that type.
template <typename Self, typename Format>
struct Float16 {
  uint16_t x;  ///< the bits

  struct from_bits_t {};
  /// Says that a number is bits: `Half(0x3c00, Half::from_bits())` and `BFloat16(0x3f80, BFloat16::from_bits())` are 1.
  static constexpr from_bits_t from_bits() { return {}; }

  /// Private to the framework.
  template <typename T>
  using IfNumber = std::enable_if_t<std::is_arithmetic_v<T>>;
  /// Private to the framework.
  template <typename T>
  using With = std::conditional_t<std::is_integral_v<T>, Self, T>;

  Float16() = default;
  constexpr Float16(uint16_t bits, from_bits_t) : x(bits) {}
  /// Converts to float, then rounds to nearest, ties to even.
  template <typename T, typename = IfNumber<T>>
  Float16(T value) : x(Format::bits(static_cast<float>(value))) {}

  operator float() const { return Format::value(x); }

#define ETUDE_ARITHMETIC(op)                                                                         \
  friend Self operator op(Self a, Self b) { return static_cast<float>(a) op static_cast<float>(b); } \
  template <typename T, typename = IfNumber<T>>                                                      \
  friend With<T> operator op(Self a, T b) {                                                          \
    return static_cast<With<T>>(a) op static_cast<With<T>>(b);                                       \
  }                                                                                                  \
  template <typename T, typename = IfNumber<T>>                                                      \
  friend With<T> operator op(T a, Self b) {                                                          \
    return static_cast<With<T>>(a) op static_cast<With<T>>(b);                                       \
  }                                                                                                  \
  friend Self& operator op##=(Self& a, Self b) { return a = a op b; }
  ETUDE_ARITHMETIC(+)
  ETUDE_ARITHMETIC(-)
  ETUDE_ARITHMETIC(*)
  ETUDE_ARITHMETIC(/)
#undef ETUDE_ARITHMETIC
  friend Self operator-(Self a) { return -static_cast<float>(a); }
};

template <typename T, uint16_t least, uint16_t most, uint16_t epsilon_bits, uint16_t half, uint16_t infinite,
          uint16_t quiet, uint16_t signaling>
struct Float16Limits : std::numeric_limits<float> {
  static constexpr T min() { return {least, T::from_bits()}; }
  static constexpr T lowest() { return {0x8000 | most, T::from_bits()}; }
  static constexpr T max() { return {most, T::from_bits()}; }
  static constexpr T epsilon() { return {epsilon_bits, T::from_bits()}; }
  static constexpr T round_error() { return {half, T::from_bits()}; }
  static constexpr T infinity() { return {infinite, T::from_bits()}; }
  static constexpr T quiet_NaN() { return {quiet, T::from_bits()}; }
  static constexpr T signaling_NaN() { return {signaling, T::from_bits()}; }
  static constexpr T denorm_min() { return {1, T::from_bits()}; }
};

}  // namespace detail

/// The range of float32 with 8 bits of precision (c10::BFloat16).
struct BFloat16 : detail::Float16<BFloat16, detail::BFloat16Format> {
  using Float16::Float16;
};

/// IEEE 754's binary16: 11 bits of precision, up to 65504 (c10::Half).
struct Half : detail::Float16<Half, detail::HalfFormat> {
  using Float16::Float16;
};

}  // namespace etude

template <>
class std::numeric_limits<etude::BFloat16>
    : public etude::detail::Float16Limits<etude::BFloat16, 0x0080, 0x7f7f, 0x3c00, 0x3f00, 0x7f80, 0x7fc0,
                                          0x7f81> {
 public:
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
};

template <>
class std::numeric_limits<etude::Half>
    : public etude::detail::Float16Limits<etude::Half, 0x0400, 0x7bff, 0x1400, 0x3800, 0x7c00, 0x7e00,
                                          0x7d00> {
 public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16, max_exponent10 = 4;
};
