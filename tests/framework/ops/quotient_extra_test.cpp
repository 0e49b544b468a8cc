// Divisions that trap in LibTorch.
#include <doctest/doctest.h>

#include <cstdint>

#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("rounded quotients and remainders, beyond LibTorch") {
  TEST_CASE("the smallest integer divided by -1 wraps around and does not trap") {
    for (const ScalarType t : {kInt, kLong}) {
      const Scalar lowest = t == kInt ? int64_t{INT32_MIN} : INT64_MIN;
      const Tensor x = etude::full({1}, lowest, t), minus_one = etude::full({1}, -1, t);
      CHECK(floor_divide(x, minus_one).item<int64_t>() == lowest.toLong());
      CHECK(remainder(x, minus_one).item<int64_t>() == 0);
      CHECK(fmod(x, minus_one).item<int64_t>() == 0);
    }
  }
}
