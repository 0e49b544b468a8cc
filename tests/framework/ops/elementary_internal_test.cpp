// The rounding errors of functions over floats of every magnitude, against the mathematics library in double.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "etude/core/detail/vectorised.h"
#include "etude/ops/detail/elementary.h"

TEST_SUITE("elementary functions") {
  namespace {

  using etude::detail::bits_as;
  using etude::detail::fast_exp;

  // Fused steps and separate ones; sums and products are the same in vectors of any width.
  using Fused = etude::detail::FloatMath<etude::detail::Form<16, true>>;
  using Separate = etude::detail::FloatMath<etude::detail::Form<16, false>>;

  constexpr float kInfinity = std::numeric_limits<float>::infinity(),
                  kNan = std::numeric_limits<float>::quiet_NaN();

  // The error of y, in units in the last place of the float nearest to `right`.
  double error_in_units(float y, double right) {
    const float nearest = static_cast<float>(right);
    if (y == nearest || (std::isnan(y) && std::isnan(nearest))) return 0;
    if (std::isinf(nearest) || std::isnan(y) || std::isnan(nearest))
      return std::numeric_limits<double>::infinity();
    const float size = std::fabs(nearest);
    const double unit = double{std::nextafter(size, kInfinity)} - double{size};
    return std::fabs(static_cast<double>(y) - right) / unit;
  }

  // The largest error of f over floats with a magnitude below `limit`, or over all floats if it is infinite.
  template <typename F, typename Right>
  double largest_error(const F& f, const Right& right, float limit = kInfinity) {
    double largest = 0;
    for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 40009) {
      const float x = bits_as<float>(static_cast<uint32_t>(bits));
      if (limit < kInfinity && !(std::fabs(x) < limit)) continue;
      largest = std::fmax(largest, error_in_units(f(x), right(static_cast<double>(x))));
    }
    for (const float x : {0.0f, -0.0f, kInfinity, -kInfinity, kNan}) {
      if (limit < kInfinity && !(std::fabs(x) < limit)) continue;
      const float y = f(x);
      const double expected = right(static_cast<double>(x));
      CAPTURE(x);
      CHECK(error_in_units(y, expected) == 0);
      CHECK((std::isnan(y) || std::signbit(y) == std::signbit(expected)));
    }
    return largest;
  }

  template <double (*Of)(double)>
  float rounded(float x) {
    return static_cast<float>(Of(static_cast<double>(x)));
  }

  // The error of y, in units in the last place of `right`.
  template <typename T>
  double error_of(T y, long double right) {
    const T size = std::fabs(static_cast<T>(right));
    const long double unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
    return static_cast<double>(std::fabs(y - right) / unit);
  }

  }  // namespace

  TEST_CASE_TEMPLATE("functions of floats are right to 0.501 units in the last place", Math, Fused,
                     Separate) {
    using Double = double (*)(double);
    CHECK(largest_error(rounded<Math::exp>, Double{std::exp}) < 0.501);
    CHECK(largest_error(rounded<Math::expm1>, Double{std::expm1}) < 0.501);
    CHECK(largest_error(rounded<Math::tanh>, Double{std::tanh}) < 0.501);
    CHECK(largest_error(rounded<Math::log>, Double{std::log}) < 0.501);
    CHECK(largest_error(rounded<Math::log1p>, Double{std::log1p}) < 0.501);
    CHECK(largest_error(rounded<Math::erf>, Double{std::erf}) < 0.501);
    CHECK(largest_error(rounded<Math::sin>, Double{std::sin}, etude::detail::kSmallAngle) < 0.501);
    CHECK(largest_error(rounded<Math::cos>, Double{std::cos}, etude::detail::kSmallAngle) < 0.501);
  }

  TEST_CASE_TEMPLATE("the fast exponential is within 1.2 units, also where it is less than normal numbers", T,
                     float, double) {
    const double least = sizeof(T) == 4 ? -105 : -747;
    const auto check = [least](auto form) {
      double largest = 0;
      for (int i = 0; least + i * 0.0037 <= 70; ++i) {
        const T x = static_cast<T>(least + i * 0.0037);
        largest = std::fmax(largest, error_of(fast_exp(form, x), std::exp(static_cast<long double>(x))));
      }
      CHECK(largest < 1.2);
      CHECK(largest > 0.5);
      CHECK(fast_exp(form, -std::numeric_limits<T>::infinity()) == 0);
      CHECK(std::isnan(fast_exp(form, std::numeric_limits<T>::quiet_NaN())));
      CHECK(fast_exp(form, T(0)) == 1);
    };
    check(etude::detail::Form<16, false>());
    check(etude::detail::Form<16, true>());
  }

  TEST_CASE_TEMPLATE("angles are reduced right where they are closest to a multiple of pi / 2", Math, Fused,
                     Separate) {
    double sine = 0, cosine = 0;
    for (int n = 1; n < 600000; ++n) {
      const double multiple = n * 1.5707963267948966;
      for (const float x : {static_cast<float>(multiple), -static_cast<float>(multiple)}) {
        sine = std::fmax(sine, error_in_units(rounded<Math::sin>(x), std::sin(static_cast<double>(x))));
        cosine = std::fmax(cosine, error_in_units(rounded<Math::cos>(x), std::cos(static_cast<double>(x))));
      }
    }
    CHECK(sine < 0.501);
    CHECK(cosine < 0.501);
  }
}
