#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

// Elementary functions without branches, calls or tables, so that loops over them become vector instructions. A nan
// stays a nan. tests/framework/ops/elementary_internal_test.cpp measures their errors over all floats.

namespace etude::detail {

constexpr float kSmallAngle = 0x1p20f;
struct Wave {
  double sine, cosine;
};

template <typename To, typename From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A polynomial with coefficients from the highest power down, computed with the multiply-add of a form.
template <typename Form, typename T, typename... C>
T polynomial(Form, T x, T highest, C... lower) {
  ((highest = Form::fma(highest, x, lower)), ...);
  return highest;
}

/// Functions of a double for arguments and results in the range of float. Rounded to float they are right to 0.501
/// units in the last place.
template <typename Form>
struct FloatMath {
  static double exp(double x) {
    const Power p = power(x, 708);
    return x > 708 ? kInfinity : x < -708 ? 0 : scaled(p.rest + 1, p.n);
  }

  static double expm1(double x) {
    const Power p = power(x, 150);
    const double y = scaled(p.rest, p.n) * (p.rest != 0) + (scaled(1, p.n) - 1);
    return x == 0 ? x : y;
  }

  static double tanh(double x) {
    const double e = expm1(2 * x);
    return e / (e + 2);
  }

  static double log(double x) {
    // x = 2^e m with sqrt(1/2) <= m < sqrt(2), and log m = 2 atanh(s) as a series.
    constexpr uint64_t root = 0x3fe6a09e667f3bcd;
    const uint64_t above = bits_as<uint64_t>(x) - root;
    const double e =
        bits_as<double>((above >> 52) | 0x4330000000000000) - (above >> 63 ? 0x1p52 + 4096 : 0x1p52);
    const double m = bits_as<double>((above & 0xfffffffffffff) + root), s = (m - 1) / (m + 1);
    const double y =
        polynomial(Form(), s * s, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3, 2.0) * s;
    const double below = x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
    return !(x > 0) ? below : x < kInfinity ? y + e * kLog2 : x;
  }

  static double log1p(double x) {
    const double sum = 1 + x, lost = x - (sum - 1);
    const double y = log(sum) + (sum > 0 && sum < 0x1p200 ? lost / sum : 0);
    return x == 0 ? x : y;
  }

  /// For angles below kSmallAngle.
  static double sin(double x) { return sin_and_cos(x).sine; }
  static double cos(double x) { return sin_and_cos(x).cosine; }
  static Wave sin_and_cos(double x) {
    // x = n pi/2 + r. pi/2 is split so that its leading parts have 33 bits, and n times them is exact.
    const double rounded = Form::fma(x, 0x1.45f306dc9c883p-1, kRound), n = rounded - kRound;
    const double r = Form::fma(n, -0x1.3198a2e037073p-69,
                               Form::fma(n, -0x1.0b4611a6p-34, Form::fma(n, -0x1.921fb544p0, x)));
    const double s = r * r;
    const double sine =
        polynomial(Form(), s, -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0) * r;
    const double cosine =
        polynomial(Form(), s, 1.0 / 479001600, -1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5, 1.0);
    // An odd number of quarter turns swaps sine and cosine, and two quarter turns negate.
    const uint64_t turns = bits_as<uint64_t>(rounded);
    const bool odd = turns % 2 != 0;
    return {negative(odd ? cosine : sine, turns / 2), negative(odd ? sine : cosine, (turns + 1) / 2)};
  }

  static double erf(double x) {
    // near and far are Chebyshev fits: of erf(x) / x, and of e^(x^2) erfc(x).
    const double size = std::fabs(x), t = 1 / (1 + 0.375 * size);
    const double near = polynomial(Form(), x * x, -0x1.879a838d2e798p-17, 0x1.edb290bd9a2d1p-14,
                                   -0x1.bf7bb9c298533p-11, 0x1.5656019e285a7p-8, -0x1.b82cae5ce1e86p-6,
                                   0x1.ce2f20b41c733p-4, -0x1.812746aea3b55p-2, 0x1.20dd750429454p+0);
    const double far =
        polynomial(Form(), t, -0x1.6ded255141963p-6, 0x1.9f02dcee4b621p-3, -0x1.5b58515ffa4b7p-1,
                   0x1.0f1730cccb1a3p+0, -0x1.bea6ec772cb26p-1, 0x1.6e66266bf5833p-1, -0x1.5aee242593850p-4,
                   0x1.146276b82562fp-2, 0x1.94be00706db05p-3, 0x1.b483e89d09be4p-3, -0x1.4db467d103ad7p-14);
    return size < 0.75 ? near * x : std::copysign(1 - exp(-x * x) * far, x);
  }

 private:
  static constexpr double kLog2 = 0x1.62e42fefa39efp-1, kInfinity = std::numeric_limits<double>::infinity();
  // 1.5 * 2^52: adding it rounds a number to an integer, which is then in the low bits of the sum.
  static constexpr double kRound = 0x1.8p52;

  // x = n log 2 + r with |r| <= log(2) / 2. n is in the low bits, and rest = e^r - 1 by Taylor's series.
  struct Power {
    double n, rest;
  };
  static Power power(double x, double most) {
    const double size = std::fabs(x), limited = std::copysign(size > most ? most : size, x);
    const double n = Form::fma(limited, 0x1.71547652b82fep0, kRound),
                 r = Form::fma(n - kRound, -kLog2, limited);
    return {n, polynomial(Form(), r, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24,
                          1.0 / 6, 0.5) *
                       (r * r) +
                   r};
  }

  // y 2^n
  static double scaled(double y, double n) {
    return bits_as<double>(bits_as<uint64_t>(y) + (bits_as<uint64_t>(n) << 52));
  }

  // y after this many half turns.
  static double negative(double y, uint64_t half_turns) {
    return bits_as<double>(bits_as<uint64_t>(y) ^ (half_turns << 63));
  }
};

/// The same functions for a double, accurate to the last places.
struct DoubleMath {
  static double exp(double x) { return std::exp(x); }
  static double expm1(double x) { return std::expm1(x); }
  static double tanh(double x) { return std::tanh(x); }
  static double log(double x) { return std::log(x); }
  static double log1p(double x) { return std::log1p(x); }
  static double sin(double x) { return std::sin(x); }
  static double cos(double x) { return std::cos(x); }
  static Wave sin_and_cos(double x) { return {std::sin(x), std::cos(x)}; }
  static double erf(double x) { return std::erf(x); }
};

template <typename T, typename Form>
using MathFor = std::conditional_t<std::is_same_v<T, float>, FloatMath<Form>, DoubleMath>;

/// e^x for x up to 70, within 1.2 units in the last place.
template <typename Form>
double fast_exp(Form form, double x) {
  x = x < -746 ? -746 : x;
  // Rounds to an integer n, with n + 53 + 1023 in the low bits. n times the leading part of log 2, which has 33 bits, is exact.
  constexpr double round = 0x1.8p52 + 53 + 1023;
  const double rounded = Form::fma(x, 0x1.71547652b82fep0, round), n = rounded - round;
  const double r = Form::fma(n, -0x1.cf79abc9e3b3ap-40, Form::fma(n, -0x1.62e42fefap-1, x));
  const double p =
      polynomial(form, r, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5);
  const double y = Form::fma(p * r, r, r) + 1;
  return y * bits_as<double>(bits_as<uint64_t>(rounded) << 52) * 0x1p-53;
}
template <typename Form>
float fast_exp(Form form, float x) {
  x = x < -104 ? -104 : x;
  // Adding it rounds a number to an integer n, and leaves n + 25 + 127 in the low bits of the sum.
  constexpr float round = 0x1.8p23f + 25 + 127;
  const float rounded = Form::fma(x, 0x1.715476p0f, round), n = rounded - round;
  const float r = Form::fma(n, -0x1.7f7d1cp-20f, Form::fma(n, -0x1.62e4p-1f, x));
  const float p = polynomial(form, r, 0.0013941108f, 0.0083751264f, 0.041666353f, 0.16666416f, 0.5f);
  const float y = Form::fma(p * r, r, r) + 1;
  // Multiplies by 2^n in two steps, since 2^n may be less than a normal number.
  return y * bits_as<float>(bits_as<uint32_t>(rounded) << 23) * 0x1p-25f;
}

}  // namespace etude::detail
