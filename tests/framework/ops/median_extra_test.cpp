// The median along an expanded dim, whose elements share memory; PyTorch reads memory that is not its own there. And the index of
// the median of nans, which in PyTorch is wherever its search stops.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "etude/framework.h"
#include "support/distance.h"

using namespace etude;

TEST_SUITE("median, beyond LibTorch") {
  TEST_CASE("expanded dims are read where they lie") {
    const Tensor x = etude::tensor({3., 1., 2.}).expand({4, 3});
    CHECK(same(std::get<0>(x.median(0)), etude::tensor({3., 1., 2.})));
    CHECK(same(std::get<1>(x.median(0)), etude::tensor({1, 1, 1})));
    CHECK(same(std::get<0>(x.median(1)), etude::tensor({2., 2., 2., 2.})));
    CHECK(x.median().item<double>() == 2);
  }

  TEST_CASE("of nans alone the first is taken") {
    const auto [values, indices] = etude::full({2, 5}, NAN).nanmedian(1);
    CHECK(same(values, etude::full({2}, NAN)));
    CHECK(same(indices, etude::tensor({0, 0})));
  }

  TEST_CASE("of no integers it is what PyTorch makes of a nan") {
    for (const auto& [type, expected] :
         {std::pair(kByte, int64_t{0}), {kInt, INT32_MIN}, {kLong, INT64_MIN}}) {
      CHECK(etude::zeros({0}, type).median().item<int64_t>() == expected);
      CHECK(etude::zeros({0}, type).nanmedian().item<int64_t>() == expected);
    }
  }
}
