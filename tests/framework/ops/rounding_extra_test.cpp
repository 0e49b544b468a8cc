// neg and abs of the smallest integer.
#include <doctest/doctest.h>

#include <cstdint>

#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("lines and steps, beyond LibTorch") {
  TEST_CASE("the smallest integer wraps around under neg and abs") {
    for (const ScalarType t : {kInt, kLong}) {
      const Scalar lowest = t == kInt ? int64_t{INT32_MIN} : INT64_MIN;
      const Tensor x = etude::full({1}, lowest, t);
      CHECK(neg(x).item<int64_t>() == lowest.toLong());
      CHECK(abs(x).item<int64_t>() == lowest.toLong());
    }
  }
}
