#include "etude/core/error.h"

#include <doctest/doctest.h>

#include "support/refusal.h"

using namespace etude;

TEST_SUITE("error") {
  namespace {

  int evaluated = 0;
  int count_evaluation() { return ++evaluated; }

  }  // namespace

  TEST_CASE("the parts of a message are written one after the other, sizes in brackets") {
    CHECK(str("sizes ", IntArrayRef({2, 3}), " and ", 1.5) == "sizes [2, 3] and 1.5");
    CHECK(std::string(str()).empty());
    CHECK(str("", std::vector<int64_t>{}.size()) == "0");
  }

  TEST_CASE("a check that holds builds no message") {
    ETUDE_CHECK(true, "never ", count_evaluation());
    CHECK(evaluated == 0);
    CHECK_THROWS_AS(ETUDE_CHECK(false, "now ", count_evaluation()), Error);
    CHECK(evaluated == 1);
  }

  TEST_CASE("every kind of refusal is an Error and a std::exception with the whole text") {
    CHECK(refusal([&] { ETUDE_CHECK_INDEX(false, "i"); }) == "IndexError: i");
    CHECK(refusal([&] { ETUDE_CHECK_VALUE(false, "v"); }) == "ValueError: v");
    CHECK(refusal([&] { ETUDE_CHECK_TYPE(false, "t"); }) == "Error: t");
    CHECK_THROWS_AS(ETUDE_CHECK_TYPE(false, "t"), TypeError);
    const auto refuse = [] { ETUDE_CHECK(false, "first line\nsecond ", 2); };
    CHECK(refusal(refuse) == "Error: first line");
    CHECK_THROWS_AS(refuse(), std::exception);
    try {
      refuse();
    } catch (const Error& e) {
      CHECK((e.msg() == "first line\nsecond 2" &&
             std::string(e.what_without_backtrace()) == "first line\nsecond 2"));
    }
  }
}
