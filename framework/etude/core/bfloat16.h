#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace etude {

/// A float32 without the lower half of its bits: as wide a range, and 8 bits of precision (c10::BFloat16). Arithmetic is that
/// of the floats which they become.
struct alignas(2) BFloat16 {
  uint16_t x;  // the bits

  struct from_bits_t {};
  static constexpr from_bits_t from_bits() { return {}; }

  BFloat16() = default;
  constexpr BFloat16(uint16_t bits, from_bits_t) : x(bits) {}
  /// The nearest one to the number as a float; of two that are equally near, the even one.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  BFloat16(T value) : x(rounded(static_cast<float>(value))) {}

  operator float() const {
    const uint32_t bits = static_cast<uint32_t>(x) << 16;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  // Without a branch, so that loops become vector instructions.
  static uint16_t rounded(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    const uint32_t nearest = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    return static_cast<uint16_t>(value != value ? 0x7fc0u : nearest);
  }
};

}  // namespace etude

template <>
class std::numeric_limits<etude::BFloat16> : public std::numeric_limits<float> {
  using Number = etude::BFloat16;

 public:
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static constexpr Number min() { return {0x0080, Number::from_bits()}; }
  static constexpr Number lowest() { return {0xff7f, Number::from_bits()}; }
  static constexpr Number max() { return {0x7f7f, Number::from_bits()}; }
  static constexpr Number epsilon() { return {0x3c00, Number::from_bits()}; }
  static constexpr Number round_error() { return {0x3f00, Number::from_bits()}; }
  static constexpr Number infinity() { return {0x7f80, Number::from_bits()}; }
  static constexpr Number quiet_NaN() { return {0x7fc0, Number::from_bits()}; }
  static constexpr Number signaling_NaN() { return {0x7f80 | 1, Number::from_bits()}; }
  static constexpr Number denorm_min() { return {0x0001, Number::from_bits()}; }
};
