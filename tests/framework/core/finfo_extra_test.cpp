// Limits of the types, from Python's torch.finfo and torch.iinfo.
#include "etude/core/finfo.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include "support/refusal.h"

using namespace etude;

TEST_SUITE("finfo") {
  TEST_CASE("floating point types") {
    struct Row {
      ScalarType type;
      int bits;
      double eps, max, tiny, resolution;
    };
    const Row rows[] = {
        {kFloat, 32, 1.1920928955078125e-07, 3.4028234663852886e+38, 1.1754943508222875e-38, 1e-06},
        {kDouble, 64, 2.220446049250313e-16, 1.7976931348623157e+308, 2.2250738585072014e-308, 1e-15},
        {kBFloat16, 16, 0.0078125, 3.3895313892515355e+38, 1.1754943508222875e-38, 0.01},
        {kHalf, 16, 0.0009765625, 65504.0, 6.103515625e-05, 0.001}};
    for (const Row& row : rows) {
      const finfo info(row.type);
      CHECK(info.dtype == row.type);
      CHECK(info.bits == row.bits);
      CHECK(info.eps == row.eps);
      CHECK(info.max == row.max);
      CHECK(info.min == -row.max);
      CHECK(info.tiny == row.tiny);
      CHECK(info.smallest_normal == row.tiny);
      CHECK(info.resolution == doctest::Approx(row.resolution).epsilon(1e-15));
    }
    CHECK(finfo().dtype == kFloat);
  }

  TEST_CASE("integers") {
    CHECK(iinfo(kByte).max == 255);
    CHECK(iinfo(kByte).min == 0);
    CHECK(iinfo(kInt).max == std::numeric_limits<int32_t>::max());
    CHECK(iinfo(kInt).min == std::numeric_limits<int32_t>::min());
    CHECK(iinfo(kLong).max == std::numeric_limits<int64_t>::max());
    CHECK(iinfo(kLong).min == std::numeric_limits<int64_t>::min());
    CHECK(iinfo(kLong).bits == 64);
    CHECK(iinfo(kByte).bits == 8);
  }

  TEST_CASE("refuses the other kind") {
    CHECK_THROWS_AS(finfo{kLong}, TypeError);
    CHECK_THROWS_AS(iinfo{kBool}, TypeError);
    CHECK(refusal([] { finfo info(kLong); }) ==
          "Error: torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
          "'torch.finfo'");
    CHECK(refusal([] { iinfo info(kFloat); }) ==
          "Error: torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'");
    CHECK(refusal([] { iinfo info(kBool); }) == "Error: torch.bool is not supported by torch.iinfo");
  }
}
