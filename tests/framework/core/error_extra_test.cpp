// How errors and checks differ from LibTorch's: bools are written as words, what() is the whole text, errors are
// constructed from a text, and a check is one statement.
#include "etude/core/error.h"

#include <doctest/doctest.h>

#include <sstream>

#include "etude/core/shape.h"

using namespace etude;

TEST_SUITE("error, beyond LibTorch") {
  TEST_CASE("a value as text is what std::to_string gives or what a stream is given") {
    CHECK(guts::to_string(7) == "7");
    CHECK(guts::to_string(0.1) == "0.100000");
    CHECK(guts::to_string(true) == "1");
    CHECK(guts::to_string('a') == "97");
    CHECK(guts::to_string("text") == "text");
    std::ostringstream stream;  // libstdc++ writes 0, libc++ writes (nil)
    stream << static_cast<const int*>(nullptr);
    CHECK(guts::to_string(static_cast<const int*>(nullptr)) == stream.str());
  }

  TEST_CASE("the parts of a message are written one after the other, sizes in brackets and bools as words") {
    CHECK(str("sizes ", IntArrayRef({2, 3}), " and ", 1.5, ", ", true) == "sizes [2, 3] and 1.5, true");
    CHECK(str() == "");
    CHECK(str(Shape{4}.ref(), std::vector<int64_t>{}.size()) == "[4]0");
  }

  TEST_CASE("every kind of refusal is an Error and a std::exception with the whole text") {
    CHECK_THROWS_WITH_AS(ETUDE_CHECK(1 + 1 == 3, "first line\nsecond ", 2), "first line\nsecond 2", Error);
    CHECK_THROWS_WITH_AS(ETUDE_CHECK_INDEX(false, "i"), "i", IndexError);
    CHECK_THROWS_WITH_AS(ETUDE_CHECK_VALUE(false, "v"), "v", ValueError);
    CHECK_THROWS_WITH_AS(ETUDE_CHECK_TYPE(false, "t"), "t", TypeError);
    CHECK_THROWS_AS(throw NotImplementedError("n"), Error);
    CHECK_THROWS_AS(throw IndexError("i"), std::exception);
    const Error e("text");
    CHECK((e.msg() == "text" && std::string(e.what_without_backtrace()) == "text"));
  }

  TEST_CASE("a check is one statement") {
    bool reached = false;
    if (!reached) ETUDE_CHECK(true, "fine");
    else reached = true;
    CHECK_FALSE(reached);
  }
}
