#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "etude/core/detail/dispatch.h"

namespace etude::detail {

/// The type in which elements of type T are added and multiplied: unsigned for integers, which wrap around as in PyTorch.
template <typename T>
using Wrapping = std::conditional_t<is_floating<T>, T,
                                    std::conditional_t<sizeof(T) <= sizeof(uint32_t), uint32_t, uint64_t>>;

template <typename Op>
struct InWrapping {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(Op()(static_cast<Wrapping<T>>(a), static_cast<Wrapping<T>>(b)));
  }
};
using Plus = InWrapping<std::plus<>>;
using Minus = InWrapping<std::minus<>>;
using Times = InWrapping<std::multiplies<>>;

/// Whether the remainder r of a division by b has to be moved to the sign of b, as in Python's %.
template <typename T>
bool has_other_sign(T r, T b) {
  if constexpr (std::is_signed_v<T>) return r != 0 && ((r < 0) != (b < 0));
  else return false;
}

/// The quotient rounded towards zero. For integers, b must not be zero, here and below.
template <typename T>
T trunc_quotient(T a, T b) {
  if constexpr (is_floating<T>) return std::trunc(a / b);
  else if constexpr (std::is_signed_v<T>) return b == -1 ? Minus()(T(0), a) : static_cast<T>(a / b);
  else return static_cast<T>(a / b);
}

/// The remainder with the sign of the dividend.
template <typename T>
T trunc_remainder(T a, T b) {
  if constexpr (is_floating<T>) return std::fmod(a, b);
  else if constexpr (std::is_signed_v<T>) return b == -1 ? T(0) : static_cast<T>(a % b);
  else return static_cast<T>(a % b);
}

/// The quotient rounded down.
template <typename T>
T floor_quotient(T a, T b) {
  if constexpr (is_floating<T>) {
    // Python's algorithm: exact where a - fmod(a, b) is exact.
    if (b == 0) return a / b;
    const T r = std::fmod(a, b);
    T q = (a - r) / b;
    if (has_other_sign(r, b)) q -= 1;
    if (q == 0) return std::copysign(T(0), a / b);
    const T down = std::floor(q);
    return q - down > T(0.5) ? down + 1 : down;
  } else {
    return static_cast<T>(trunc_quotient(a, b) - has_other_sign(trunc_remainder(a, b), b));
  }
}

/// The remainder with the sign of the divisor.
template <typename T>
T floor_remainder(T a, T b) {
  const T r = trunc_remainder(a, b);
  return has_other_sign(r, b) ? static_cast<T>(r + b) : r;
}

/// a^b for integers by squaring; a negative exponent gives 0 unless a is 1 or -1.
template <typename T>
T integer_power(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b < 0) return a == 1 ? T(1) : a == -1 ? (b % 2 == 0 ? T(1) : T(-1)) : T(0);
  }
  T result = 1;
  for (; b > 0; b = static_cast<T>(b / 2)) {
    if (b % 2 != 0) result = Times{}(result, a);
    a = Times{}(a, a);
  }
  return result;
}

}  // namespace etude::detail
