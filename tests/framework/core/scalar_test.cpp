#include "etude/core/scalar.h"

#include <doctest/doctest.h>

#include <cmath>
#include <exception>
#include <limits>
#include <string>

using namespace etude;

TEST_SUITE("scalar") {
  TEST_CASE("a number is a bool, an int64 or a double") {
    CHECK((Scalar(true).type() == kBool && Scalar(1).type() == kLong && Scalar(int64_t{1}).type() == kLong));
    CHECK((Scalar(uint8_t{1}).type() == kLong && Scalar(1.0f).type() == kDouble &&
           Scalar(1.0).type() == kDouble));
    CHECK((Scalar().type() == kLong && Scalar().toLong() == 0));
    CHECK((Scalar(true).isBoolean() && Scalar(1.0).isFloatingPoint() && Scalar(1).isIntegral(false)));
    CHECK(
        (!Scalar(true).isIntegral(false) && Scalar(true).isIntegral(true) && !Scalar(1.0).isIntegral(true)));
  }

  TEST_CASE("a number is read as any type, as a C++ cast converts it") {
    CHECK(Scalar(2.75).toLong() == 2);
    CHECK(Scalar(-2.75).toInt() == -2);
    CHECK(Scalar(3).toDouble() == 3.0);
    CHECK(Scalar(0.1).toFloat() == 0.1f);
    CHECK(Scalar(0.5).toBool());
    CHECK_FALSE(Scalar(0.0).toBool());
    CHECK(Scalar(true).toDouble() == 1.0);
    CHECK(Scalar(-1).to<uint8_t>() == 255);
    CHECK(Scalar(1e300).toDouble() == 1e300);
    CHECK(std::isinf(Scalar(-std::numeric_limits<double>::infinity()).toFloat()));
    CHECK(std::isnan(Scalar(std::nan("")).toFloat()));
    CHECK(Scalar(std::nan("")).toBool());
  }

  TEST_CASE("a type that cannot hold the number is refused") {
    const auto refused = [](auto&& read) -> std::string {
      try {
        read();
      } catch (const std::exception& e) {
        const std::string text = e.what();
        return text.substr(0, text.find('\n'));
      }
      return "";
    };
    const auto sentence = [](const std::string& type) {
      return "value cannot be converted to type " + type + " without overflow";
    };
    for (const Scalar& v : {Scalar(300), Scalar(-256), Scalar(-0.5), Scalar(256.5), Scalar(std::nan(""))})
      CHECK(refused([&] { v.to<uint8_t>(); }) == sentence("uint8_t"));
    for (const Scalar& v : {Scalar(int64_t{1} << 31), Scalar(2147483648.0), Scalar(std::nan(""))})
      CHECK(refused([&] { v.toInt(); }) == sentence("int"));
    for (const double v : {0x1p64, 1e300, -1e300, std::numeric_limits<double>::infinity()})
      CHECK(refused([&] { Scalar(v).toLong(); }) == sentence("int64_t"));
    for (const double v : {1e39, -1e39}) CHECK(refused([&] { Scalar(v).toFloat(); }) == sentence("float"));
  }

  TEST_CASE("every int64 is kept exactly") {
    CHECK(Scalar(std::numeric_limits<int64_t>::max()).toLong() == std::numeric_limits<int64_t>::max());
    CHECK(Scalar(std::numeric_limits<int64_t>::min()).toLong() == std::numeric_limits<int64_t>::min());
    CHECK(Scalar((int64_t{1} << 53) + 1).toLong() == (int64_t{1} << 53) + 1);
  }

  TEST_CASE("numbers are compared by value, whatever their types") {
    CHECK(Scalar(2).equal(2.0));
    CHECK(Scalar(true).equal(true));
    CHECK_FALSE(Scalar(true).equal(1));
    CHECK_FALSE(Scalar(1).equal(true));
    CHECK_FALSE(Scalar(2).equal(2.5));
    CHECK_FALSE(Scalar((int64_t{1} << 53) + 1).equal(int64_t{1} << 53));
  }

  TEST_CASE("a number is negated in its own type") {
    CHECK((-Scalar(2)).toLong() == -2);
    CHECK((-Scalar(2.5)).toDouble() == -2.5);
    CHECK((-Scalar(2)).isIntegral(false));
  }
}
