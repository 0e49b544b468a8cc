#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "etude/io/detail/number_text.h"
#include "etude/io/print.h"
#include "support/golden.h"

using namespace etude;

TEST_SUITE("number_text") {
  namespace {

  std::string printf_text(const char* form, int precision, double v) {
    char text[1200];
    std::snprintf(text, sizeof text, form, precision, v);
    return text;
  }

  // Doubles of all magnitudes: random bit patterns.
  std::vector<double> doubles() {
    std::mt19937_64 bits(1);
    std::vector<double> all = {
        0.0, -0.0, 0.5, 2.5, 1e22, 1e-5, 123456789.0, 5e-324, std::numeric_limits<double>::max()};
    while (all.size() < 3000) {
      const uint64_t pattern = bits();
      double v;
      static_assert(sizeof v == sizeof pattern);
      std::memcpy(&v, &pattern, sizeof v);
      if (std::isfinite(v)) all.push_back(v);
      all.push_back(std::ldexp(static_cast<double>(pattern % 100000), -static_cast<int>(pattern % 20)));
    }
    return all;
  }

  }  // namespace

  TEST_CASE("fixed and scientific texts are printf's") {
    for (const double v : doubles()) {
      for (const int precision : {0, 1, 4, 20, 400}) {
        std::string fixed, scientific;
        detail::append_fixed(fixed, v, precision);
        detail::append_scientific(scientific, v, precision);
        REQUIRE(fixed == printf_text("%.*f", precision, v));
        REQUIRE(scientific == printf_text("%.*e", precision, v));
      }
    }
  }

  TEST_CASE("a text is appended to what is there, and specials read as in Python") {
    std::string text = "x = ";
    detail::append_fixed(text, 1.25, 1);
    text += ' ';
    detail::append_fixed(text, -HUGE_VAL, 1);
    text += ' ';
    detail::append_scientific(text, -std::nan(""), 3);
    CHECK(text == "x = 1.2 -inf nan");
  }

  TEST_CASE("every recorded float has Python's text") {
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] != "python_float") continue;
      ++count;
      const Recorded& v = row["value"];
      const double value = v == "nan"    ? std::nan("")
                           : v == "inf"  ? HUGE_VAL
                           : v == "-inf" ? -HUGE_VAL
                                         : v.get<double>();
      CHECK(python_float(value) == row["text"].get<std::string>());
    }
    CHECK(count == 13);
  }

  TEST_CASE("the text of a float reads back as the same double and cannot be shorter") {
    for (const double v : doubles()) {
      const std::string text = python_float(v);
      REQUIRE(std::strtod(text.c_str(), nullptr) == v);
      const auto digits = static_cast<int>(detail::shortest_digits(v).digits.size());
      if (digits > 1) REQUIRE(std::strtod(printf_text("%.*e", digits - 2, v).c_str(), nullptr) != v);
    }
  }

  TEST_CASE("beside a power of two and among subnormal numbers the text is Python's, too") {
    CHECK(python_float(0x1p-44) == "5.684341886080802e-14");
    CHECK(python_float(0x1p-24) == "5.960464477539063e-08");
    CHECK(python_float(0x1p122) == "5.316911983139664e+36");
    CHECK(python_float(0x1p-1022) == "2.2250738585072014e-308");
    CHECK(python_float(0x1p-1074) == "5e-324");
    CHECK(python_float(0x3p-1074) == "1.5e-323");
  }

  TEST_CASE("exponents are written below -4 and from 16 on") {
    CHECK(python_float(0.0001) == "0.0001");
    CHECK(python_float(0.00001) == "1e-05");
    CHECK(python_float(1.5e-7) == "1.5e-07");
    CHECK(python_float(1e15) == "1000000000000000.0");
    CHECK(python_float(1234567890123456.0) == "1234567890123456.0");
    CHECK(python_float(1e16) == "1e+16");
    CHECK(python_float(1e100) == "1e+100");
    CHECK(python_float(-0.0) == "-0.0");
    CHECK(python_float(12.5) == "12.5");
  }
}
