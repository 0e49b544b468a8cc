// Normal numbers: the formula, the two streams, and the number that waits between two calls.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "etude/ops/ops.h"
#include "support/refusal.h"
#include "support/streams.h"

using namespace etude;
using namespace etude::detail;

TEST_SUITE("random normal numbers") {
  TEST_CASE_TEMPLATE("block normals agree with Box and Muller's formula in long double", T, float, double) {
    GeneratorImpl a(21), b(21);
    std::vector<T> u(kCount), y(kCount);
    fill_uniform(a, u.data(), kCount, 0, 1);
    fill_normal_blocks(b, y.data(), kCount, 2, 3);
    const long double two_pi = 6.283185307179586476925286766559L;
    const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-14;
    for (size_t block = 0; block + 16 <= 2976; block += 16) {  // the last block is redrawn
      for (size_t j = block; j < block + 8; ++j) {
        const long double r = std::sqrt(-2 * std::log(1 - static_cast<long double>(u[j]))),
                          t = two_pi * static_cast<long double>(u[j + 8]);
        REQUIRE(std::abs(static_cast<double>(2 + 3 * r * std::cos(t) - static_cast<long double>(y[j]))) <
                tolerance * 10);
        REQUIRE(std::abs(static_cast<double>(2 + 3 * r * std::sin(t) - static_cast<long double>(y[j + 8]))) <
                tolerance * 10);
      }
    }
  }

  TEST_CASE_TEMPLATE("both streams have the same bits with the instructions of any processor", T, float,
                     double) {
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_normal_blocks(g, y, kCount, 0.3, 0.02); }));
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_normal_pairs(g, y, kCount, 0.3, 0.02); }));
  }

  TEST_CASE(
      "the second value of a pair of normal numbers waits for the next scalar request, of any type, past "
      "everything but a seed") {
    manual_seed(11);
    const Tensor pairs = randn({10}, kDouble);
    manual_seed(11);
    const Tensor first = randn({3}, kDouble);
    rand({100});
    randn({16});
    randperm(20);
    const Tensor second = randn({1}), third = randn({6}, kDouble);
    CHECK(same(first, pairs.slice(0, 0, 3)));
    CHECK(second.item<float>() == static_cast<float>(pairs[3].item<double>()));
    CHECK_FALSE(same(third, pairs.slice(0, 4, 10)));  // other outputs were drawn in between

    manual_seed(11);
    randn({3});
    manual_seed(11);
    CHECK(same(randn({3}, kDouble), first));
  }

  TEST_CASE("a target that is not contiguous gets scalar pairs even if it is large") {
    manual_seed(2);
    const Tensor strided = empty({40, 2}, kDouble).select(1, 0).normal_(1, 3);
    manual_seed(2);
    for (int64_t i = 0; i < 40; ++i)
      CHECK(strided[i].item<double>() == empty({}, kDouble).normal_(1, 3).item<double>());
    manual_seed(2);
    CHECK_FALSE(same(empty({40}, kDouble).normal_(1, 3), strided.contiguous()));
  }
}
