#include "etude/core/error.h"

#include <doctest/doctest.h>

#include "etude/core/dtype.h"
#include "etude/core/shape.h"

using namespace etude;

namespace {

int evaluated = 0;
int count_evaluation() { return ++evaluated; }

}  // namespace

TEST_SUITE("error") {
  TEST_CASE("the parts of a message are written one after the other, sizes in brackets and bools as words") {
    CHECK(str("sizes ", IntArrayRef({2, 3}), " and ", 1.5, ", ", true) == "sizes [2, 3] and 1.5, true");
    CHECK(str() == "");
    CHECK(str(Shape{4}.ref(), std::vector<int64_t>{}.size()) == "[4]0");
  }

  TEST_CASE("a check that holds builds no message") {
    ETUDE_CHECK(true, "never ", count_evaluation());
    CHECK(evaluated == 0);
    CHECK_THROWS_AS(ETUDE_CHECK(false, "now ", count_evaluation()), Error);
    CHECK(evaluated == 1);
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
    if (evaluated >= 0) ETUDE_CHECK(true, "fine");
    else reached = true;
    CHECK_FALSE(reached);
  }
}
