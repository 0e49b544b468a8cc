// Against GPT-2's expression in Python, recorded by tests/golden/text/make.py.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "etude/text/detail/byte_pairs.h"
#include "support/golden.h"

TEST_SUITE("pieces") {
  namespace {

  std::vector<std::string> pieces_of(const std::string& text) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t end = etude::detail::piece_end(text, at);
      REQUIRE((end > at && end <= text.size()));
      pieces.push_back(text.substr(at, end - at));
      at = end;
    }
    return pieces;
  }

  }  // namespace

  TEST_CASE("texts fall into the pieces that GPT-2's expression gives") {
    const auto golden = etude::golden_json("text/pieces.json");
    CHECK(golden.size() > 300);
    for (const auto& recorded : golden) {
      const auto expected = recorded.get<std::vector<std::string>>();
      std::string text;
      for (const std::string& piece : expected) text += piece;
      CHECK(pieces_of(text) == expected);
    }
  }

  TEST_CASE("contractions, blanks and bytes that are no UTF-8") {
    using Pieces = std::vector<std::string>;
    CHECK(pieces_of("they've 'd 's'S") == Pieces{"they", "'ve", " '", "d", " '", "s", "'", "S"});
    CHECK(pieces_of("a   b\n\n c \t") == Pieces{"a", "  ", " b", "\n\n", " c", " \t"});
    CHECK(pieces_of("a\nb ") == Pieces{"a", "\n", "b", " "});
    CHECK(pieces_of("x\xff\xfe!1\xc3") == Pieces{"x", "\xff\xfe!", "1", "\xc3"});
    CHECK(pieces_of("a e\xcc\x81") == Pieces{"a", " e", "\xcc\x81"});
    CHECK(pieces_of("").empty());
  }

  TEST_CASE("any bytes are their pieces one after the other") {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
      std::string text(random() % 100, ' ');
      for (char& c : text) c = static_cast<char>(random());
      std::string back;
      for (const std::string& piece : pieces_of(text)) back += piece;
      CHECK(back == text);
    }
  }
}
