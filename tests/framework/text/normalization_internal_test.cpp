// Against the package tokenizers, recorded by tests/golden/text/make_pretrained.py.
#include <doctest/doctest.h>

#include <string>

#include "etude/text/detail/unicode_classes.h"
#include "support/golden.h"

using etude::detail::normalization_form_c;

TEST_SUITE("normalization") {
  TEST_CASE("texts have the form C that tokenizers gives them") {
    const auto golden = etude::golden_json("text/pretrained/normalized.json");
    CHECK(golden.size() == 400);
    for (const auto& pair : golden) {
      CHECK(normalization_form_c(std::string(pair[0])) == std::string(pair[1]));
      CHECK(normalization_form_c(std::string(pair[1])) == std::string(pair[1]));
    }
  }

  TEST_CASE("accents, syllables and bytes that are no UTF-8") {
    CHECK(normalization_form_c("e\u0301") == "\u00e9");
    CHECK(normalization_form_c("\u00e9") == "\u00e9");
    CHECK(normalization_form_c("q\u0307\u0323") == "q\u0323\u0307");  // in order, not composed
    CHECK(normalization_form_c("\u1100\u1161\u11a8") == "\uac01");    // Hangul
    CHECK(normalization_form_c("\uac00\u11a7") == "\uac00\u11a7");    // just before the first tail
    CHECK(normalization_form_c("a\u030d\u0301") == "a\u030d\u0301");  // one of the same class is between
    CHECK(normalization_form_c("\u212b") == "\u00c5");                // one for another
    CHECK(normalization_form_c("\u0958") == "\u0915\u093c");          // never composed
    CHECK(normalization_form_c("e\xff\u0301\xc3") == "e\xff\u0301\xc3");
    CHECK(normalization_form_c("").empty());
    std::string mixed = "q", below = "q", above;  // those of one class stay in their order, however many
    for (int i = 0; i < 20; ++i) {
      const std::string accent = i % 3 == 0 ? "\u0307" : "\u0302";
      mixed += accent + "\u0323";
      below += "\u0323";
      above += accent;
    }
    CHECK(normalization_form_c(mixed) == below + above);
  }
}
