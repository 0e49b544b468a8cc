#include "support/stop_texts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using examples::StopTexts;

TEST_SUITE("stop_texts") {
  namespace {

  // What is shown after each piece, with bars between, and at the end.
  std::string shown(std::vector<std::string> texts, const std::vector<std::string>& pieces) {
    StopTexts stops(std::move(texts));
    std::string all;
    for (const std::string& piece : pieces) all += stops.add(piece) + "|";
    return all + stops.end() + (stops.found() ? "." : "");
  }

  }  // namespace

  TEST_CASE("without stop texts each piece is shown as it comes") {
    CHECK(shown({}, {"a", "", "bc"}) == "a||bc|");
  }

  TEST_CASE("what may be the beginning of a stop text is kept back until it is known") {
    CHECK(shown({"dog"}, {"the d", "o", "or"}) == "the ||door|");
    CHECK(shown({"dog"}, {"the d", "o", "g", "s"}) == "the ||||.");
    CHECK(shown({"dog"}, {"the do"}) == "the |do");
    CHECK(shown({"aab"}, {"a", "a", "a", "b", "c"}) == "||a|||.");
    CHECK(shown({"\n\n"}, {"one\n", "two\n", "\nthree"}) == "one|\ntwo||.");
  }

  TEST_CASE("the text ends before the first of several stop texts") {
    CHECK(shown({"dog", "the"}, {"saw the dog"}) == "saw |.");
    CHECK(shown({"the dog", "dog"}, {"the ", "dog"}) == "||.");
    CHECK(shown({"the dog", "dog"}, {"the ", "cat"}) == "|the ca|t");
    CHECK(shown({"dog"}, {"dog dog", "dog"}) == "||.");
  }
}

}  // namespace
