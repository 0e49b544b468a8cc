#include <doctest/doctest.h>

#include <cmath>

#include "etude/io/print.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/golden.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("format") {
  TEST_CASE("every recorded text of a 0-dim tensor is Python's") {
    int count = 0;
    for (const Recorded& row : golden_json("printing.json")) {
      if (row["kind"] != "format") continue;
      ++count;
      CHECK(format(tensor(row["value"].get<double>()), row["spec"].get<std::string>()) ==
            row["text"].get<std::string>());
    }
    CHECK(count == 5);
  }

  TEST_CASE("specs of every kind give what Python 3.11 gives") {
    struct Case {
      Tensor value;
      const char *spec, *text;
    };
    const auto f = [](double v) { return tensor(v, kDouble); };
    const auto i = [](int64_t v) { return tensor(v); };
    const Case cases[] = {
        {tensor(0.1), "", "0.10000000149011612"},
        {f(1.5), "08", "000001.5"},
        {f(1.5), "<08", "1.500000"},
        {f(1.5), "x<08.1f", "1.5xxxxx"},
        {f(1.5), "\u00e9^9.2f", "\u00e9\u00e91.50\u00e9\u00e9\u00e9"},
        {f(1.5), "=+9.2f", "+    1.50"},
        {f(1.5), "<<9.2f", "1.50<<<<<"},
        {f(1.5), " ", " 1.5"},
        {f(1.5), "#.3g", "1.50"},
        {f(1.0), "#g", "1.00000"},
        {f(0.0), "#", "0.0"},
        {f(1.5), "#.0f", "2."},
        {f(1.5), "#.0e", "2.e+00"},
        {f(1234567), ",", "1,234,567.0"},
        {f(1234567), "014,.1f", "0,001,234,567.0"},
        {f(123456.5), "_.3f", "123_456.500"},
        {f(100000), ".3", "1e+05"},
        {f(99), ".2", "9.9e+01"},
        {f(12345.678), ".3g", "1.23e+04"},
        {f(0.00001234), "G", "1.234E-05"},
        {f(1e16), ".17", "1e+16"},
        {f(0.5), "%", "50.000000%"},
        {f(-5), "+.1%", "-500.0%"},
        {f(-0.001), ".1f", "-0.0"},
        {f(-0.001), "z.1f", "0.0"},
        {f(std::nan("")), "010.2f", "0000000nan"},
        {f(-HUGE_VAL), "010.2f", "-000000inf"},
        {f(HUGE_VAL), "+E", "+INF"},
        {i(3), "08.1f", "000003.0"},
        {i(5), " d", " 5"},
        {i(-5), "#b", "-0b101"},
        {i(1234567), "#_x", "0x12_d687"},
        {i(1234567), "#020_x", "0x000_0000_0012_d687"},
        {i(1234567), "012,", "0,001,234,567"},
        {i(255), "X", "FF"},
        {i(0), "#o", "0o0"},
        {i(100000000000000000), "g", "1e+17"},
        {i(std::numeric_limits<int64_t>::min()), "d", "-9223372036854775808"},
        {tensor(true), "", "True"},
        {tensor(true), "5", "    1"},
        {tensor(true), ".2f", "1.00"},
    };
    for (const Case& c : cases) {
      CAPTURE(c.spec);
      CHECK(format(c.value, c.spec) == c.text);
    }
  }

  TEST_CASE("a tensor with dims has its repr for an empty spec and takes no other") {
    CHECK(format(tensor({1.0}), "") == "tensor([1.])");
    std::string text;
    try {
      format(tensor({1.0}), ".2f");
    } catch (const TypeError& e) {
      text = e.what();
    }
    CHECK(text ==
          "unsupported format string passed to Tensor.__format__\nreceived the format spec '.2f' for sizes "
          "[1]\n"
          "hint: only a 0-dim tensor takes a spec");
  }

  TEST_CASE("specs that Python refuses are refused in its words") {
    const Tensor real = tensor(1.5), integer = tensor(3), boolean = tensor(true);
    const std::pair<AnyFunction<void()>, const char*> refused[] = {
        {[&] { format(real, "abc"); }, "Invalid format specifier 'abc' for object of type 'float'"},
        {[&] { format(real, "s"); }, "Unknown format code 's' for object of type 'float'"},
        {[&] { format(real, "d"); }, "Unknown format code 'd' for object of type 'float'"},
        {[&] { format(boolean, "s"); }, "Unknown format code 's' for object of type 'bool'"},
        {[&] { format(real, ".f"); }, "Format specifier missing precision"},
        {[&] { format(integer, ".2d"); }, "Precision not allowed in integer format specifier"},
        {[&] { format(integer, "z"); }, "Negative zero coercion (z) not allowed in integer format specifier"},
        {[&] { format(real, ",_"); }, "Cannot specify both ',' and '_'."},
        {[&] { format(real, ",,"); }, "Cannot specify ',' with ','."},
        {[&] { format(integer, ",x"); }, "Cannot specify ',' with 'x'."},
        {[&] { format(real, "99999999999999999999f"); }, "Too many decimal digits in format string"},
    };
    for (const auto& [f, sentence] : refused) CHECK(refusal(f) == std::string("ValueError: ") + sentence);
    CHECK_THROWS_AS(format(integer, "c"), NotImplementedError);
  }
}
