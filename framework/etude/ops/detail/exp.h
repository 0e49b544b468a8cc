#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace etude::detail {

/// e^x with a relative error below 2^-36, for x of float32's precision; 0 below and infinity above what a
/// float can hold, once rounded to one. There is no branch and no call in it, so a loop over it is
/// vectorised.
inline double exp_for_float(double x) {
  const double size = std::fabs(x);
  x = std::copysign(size > 150 ? 150 : size, x);  // a nan stays
  // x = n log 2 + r with |r| <= log(2) / 2. Adding 1.5 * 2^52 rounds to an integer and leaves n in the low
  // bits.
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
