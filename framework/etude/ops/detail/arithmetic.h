#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "etude/core/detail/dispatch.h"

namespace etude::detail {

/// What elements of type T are added and multiplied as: integers unsigned, so that they wrap around as PyTorch's do.
template <typename T>
using Wrapping = std::conditional_t<is_floating<T>, T,
                                    std::conditional_t<sizeof(T) <= sizeof(uint32_t), uint32_t, uint64_t>>;

struct Plus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};

struct Minus {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};

struct Times {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};

/// Whether a remainder r of a division by b has to be moved to the sign of b, as Python's % has it.
template <typename T>
bool has_other_sign(T r, T b) {
  if constexpr (std::is_signed_v<T>) return r != 0 && ((r < 0) != (b < 0));
  else return false;
}

/// The quotient rounded down. Integers are not divided by zero.
template <typename T>
T floor_quotient(T a, T b) {
  if constexpr (is_floating<T>) {
    // Python's algorithm: exact where a - fmod(a, b) is.
    if (b == 0) return a / b;
    const T r = std::fmod(a, b);
    T q = (a - r) / b;
    if (has_other_sign(r, b)) q -= 1;
    if (q == 0) return std::copysign(T(0), a / b);
    const T down = std::floor(q);
    return q - down > T(0.5) ? down + 1 : down;
  } else if constexpr (std::is_signed_v<T>) {
    if (b == -1) return Minus()(T(0), a);
    return static_cast<T>(a / b - (has_other_sign<T>(static_cast<T>(a % b), b) ? 1 : 0));
  } else {
    return static_cast<T>(a / b);
  }
}

/// The remainder with the sign of the divisor.
template <typename T>
T floor_remainder(T a, T b) {
  if constexpr (is_floating<T>) {
    const T r = std::fmod(a, b);
    return has_other_sign(r, b) ? r + b : r;
  } else if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
    const T r = static_cast<T>(a % b);
    return has_other_sign(r, b) ? static_cast<T>(r + b) : r;
  } else {
    return static_cast<T>(a % b);
  }
}

/// The remainder with the sign of the dividend.
template <typename T>
T trunc_remainder(T a, T b) {
  if constexpr (is_floating<T>) return std::fmod(a, b);
  else if constexpr (std::is_signed_v<T>) return b == -1 ? T(0) : static_cast<T>(a % b);
  else return static_cast<T>(a % b);
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

/// e^x with a relative error below 2^-36, for x of float32's precision; 0 below and infinity above what a float can
/// hold, once rounded to one. There is no branch and no call in it, so a loop over it is vectorised.
inline double exp_for_float(double x) {
  const double size = std::fabs(x);
  x = std::copysign(size > 150 ? 150 : size, x);  // a nan stays
  // x = n log 2 + r with |r| <= log(2) / 2. Adding 1.5 * 2^52 rounds to an integer and leaves n in the low bits.
  constexpr double shift = 0x1.8p52, log2_e = 0x1.71547652b82fep0, log_2 = 0x1.62e42fefa39efp-1;
  const double shifted = x * log2_e + shift;
  const double r = x - (shifted - shift) * log_2;
  // Taylor's series of e^r; the first term left out is r^10 / 10!.
  double y = 1.0 / 362880;
  y = y * r + 1.0 / 40320;
  y = y * r + 1.0 / 5040;
  y = y * r + 1.0 / 720;
  y = y * r + 1.0 / 120;
  y = y * r + 1.0 / 24;
  y = y * r + 1.0 / 6;
  y = y * r + 0.5;
  y = y * r + 1.0;
  y = y * r + 1.0;
  // times 2^n: n is added to the exponent.
  int64_t n, bits;
  std::memcpy(&n, &shifted, sizeof n);
  std::memcpy(&bits, &y, sizeof bits);
  bits = static_cast<int64_t>(static_cast<uint64_t>(bits) + (static_cast<uint64_t>(n) << 52));
  std::memcpy(&y, &bits, sizeof y);
  return y;
}

inline float fast_exp(float x) { return static_cast<float>(exp_for_float(static_cast<double>(x))); }
inline double fast_exp(double x) { return std::exp(x); }

}  // namespace etude::detail
