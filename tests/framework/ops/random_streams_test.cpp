#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/streams.h"

using namespace etude;
using namespace etude::detail;

TEST_SUITE("random_streams") {
  TEST_CASE_TEMPLATE(
      "uniform and exponential streams have the same bits with the instructions of any processor", T, float,
      double) {
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_uniform(g, y, kCount, -0.37, 0.61); }));
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_exponential(g, y, kCount, 2.5); }));
  }

  TEST_CASE_TEMPLATE("discrete streams have the same bits with the instructions of any processor", T, bool,
                     uint8_t, int32_t, int64_t, float, double) {
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_bernoulli(g, y, kCount, 0.3, T(1)); }));
    CHECK(same_on_all<T>([](GeneratorImpl& g, T* y) { fill_integers(g, y, kCount, 2, 0, false); }));
  }

  TEST_CASE("a value of a Bernoulli stream is one where the uniform number of the same outputs is below p") {
    for (const double p : {0.0, 0x1p-53, 0.1, 1.0 / 3.0, 0.5, 0.9, 1 - 0x1p-53, 1.0}) {
      GeneratorImpl a(12), b(12);
      std::vector<double> u(kCount), y(kCount);
      fill_uniform(a, u.data(), kCount, 0, 1);
      fill_bernoulli(b, y.data(), kCount, p, 4.0);
      for (size_t i = 0; i < u.size(); ++i) REQUIRE(y[i] == (u[i] < p ? 4.0 : 0.0));
    }
  }

  TEST_CASE("p at the very value of a uniform number does not count as above it") {
    GeneratorImpl a(12);
    double u;
    fill_uniform(a, &u, 1, 0, 1);
    for (const double p : {std::nextafter(u, 0.0), u, std::nextafter(u, 1.0)}) {
      GeneratorImpl b(12);
      float y;
      fill_bernoulli(b, &y, 1, p, 1.0f);
      CHECK(y == (u < p ? 1.0f : 0.0f));
    }
  }

  TEST_CASE_TEMPLATE("a uniform number that rounding makes the end of its range is the begin", T, float,
                     double) {
    GeneratorImpl a(3), b(3);
    const T from = T(1), to = std::nextafter(from, T(2));
    std::vector<T> unit(kCount), y(kCount);
    fill_uniform(a, unit.data(), kCount, 0, 1);
    fill_uniform(b, y.data(), kCount, from, to);
    CHECK(std::any_of(unit.begin(), unit.end(), [&](T u) { return std::fma(u, to - from, from) == to; }));
    CHECK(std::all_of(y.begin(), y.end(), [&](T v) { return v == from; }));
  }

  TEST_CASE("uniform numbers are the low bits of the outputs, scaled exactly") {
    GeneratorImpl words(3), floats(3), doubles(3);
    std::vector<float> f(kCount);
    std::vector<double> d(kCount);
    fill_uniform(floats, f.data(), kCount, 0, 1);
    fill_uniform(doubles, d.data(), kCount, 0, 1);
    GeneratorImpl pairs(3);
    for (size_t i = 0; i < f.size(); ++i) {
      REQUIRE(f[i] == std::ldexp(static_cast<float>(words.word() % (1u << 24)), -24));
      REQUIRE(d[i] == std::ldexp(static_cast<double>(pairs.word64() % (uint64_t{1} << 53)), -53));
    }
  }

  TEST_CASE("integers are remainders of 32 bits, or of 64") {
    GeneratorImpl narrow(4), wide(4), words(4), pairs(4);
    std::vector<int64_t> n(kCount), w(kCount);
    fill_integers(narrow, n.data(), kCount, (uint64_t{1} << 32) - 1, -5, false);
    fill_integers(wide, w.data(), kCount, uint64_t{1} << 32, -5, true);
    for (size_t i = 0; i < n.size(); ++i) {
      REQUIRE(n[i] == static_cast<int64_t>(words.word() % 0xffffffffu) - 5);
      REQUIRE(w[i] == static_cast<int64_t>(pairs.word64() & 0xffffffffu) - 5);
    }
    GeneratorImpl full(4), again(4);
    std::vector<int32_t> all(kCount);
    fill_integers(full, all.data(), kCount, uint64_t{1} << 32, std::numeric_limits<int32_t>::min(), true);
    for (const int32_t v : all)
      REQUIRE(v == static_cast<int64_t>(again.word64() & 0xffffffffu) - (int64_t{1} << 31));
  }
}
