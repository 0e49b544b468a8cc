// Cases in which PyTorch 1.13's result depends on its hash tables, or does not exist.
#include <doctest/doctest.h>

#include <limits>

#include "etude/framework.h"
#include "support/distance.h"

using namespace etude;

TEST_SUITE("unique beyond LibTorch") {
  TEST_CASE("every nan is one of its own, after the numbers") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor x = etude::tensor({nan, 1.f, nan, 0.f, -0.f});
    const auto [values, inverse, counts] = _unique2(x, true, true, true);
    CHECK(same(values, etude::tensor({0.f, 1.f, nan, nan})));
    CHECK(same(inverse, etude::tensor({2, 1, 3, 0, 0}, kLong)));
    CHECK(same(counts, etude::tensor({2, 1, 1, 1}, kLong)));
    CHECK(std::get<0>(unique_consecutive(x)).numel() == 4);
    CHECK(std::get<0>(unique_dim(etude::full({3, 2}, nan), 0)).size(0) == 3);
  }

  TEST_CASE("what is not asked to be sorted is so too") {
    CHECK(same(std::get<0>(_unique(etude::tensor({3, 1, 2, 1}), false)), etude::tensor({1, 2, 3})));
    CHECK(same(std::get<0>(_unique2(etude::tensor({3, 1, 2, 1}), false)), etude::tensor({1, 2, 3})));
  }
}
