// Against GPT-2's expression in Python, recorded by tests/golden/text/make.py, and those of others in tokenizers, recorded
// by make_pretrained.py.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "etude/text/detail/byte_pairs.h"
#include "support/golden.h"

TEST_SUITE("pieces") {
  namespace {

  using etude::detail::PiecePattern;

  std::vector<std::string> pieces_of(const std::string& text, PiecePattern pattern = PiecePattern::kGpt2) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t end = etude::detail::piece_end(text, at, pattern);
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

  TEST_CASE("texts fall into the pieces that the expressions of other tokenizers give") {
    const std::map<std::string, PiecePattern> patterns = {
        {"gpt2", PiecePattern::kGpt2},     {"gpt2_digits", PiecePattern::kGpt2Digits},
        {"llama3", PiecePattern::kLlama3}, {"qwen2", PiecePattern::kQwen2},
        {"o200k", PiecePattern::kO200k},   {"tekken", PiecePattern::kTekken}};
    for (const auto& [name, texts] : etude::golden_json("text/pretrained/pieces.json").items()) {
      CAPTURE(name);
      for (const auto& recorded : texts) {
        const auto expected = recorded.get<std::vector<std::string>>();
        std::string text;
        for (const std::string& piece : expected) text += piece;
        CHECK(pieces_of(text, patterns.at(name)) == expected);
      }
    }
    using Pieces = std::vector<std::string>;
    CHECK(pieces_of("a \n  ", PiecePattern::kCl100k) == Pieces{"a", " \n  "});
    CHECK(pieces_of("a \n  ", PiecePattern::kLlama3) == Pieces{"a", " \n", "  "});
    CHECK(pieces_of("a \n  b", PiecePattern::kCl100k) == Pieces{"a", " \n", " ", " b"});
    CHECK(pieces_of("a b\n", PiecePattern::kWhole) == Pieces{"a b\n"});
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
    for (int round = 0; round < 400; ++round) {
      std::string text(random() % 100, ' ');
      for (char& c : text) c = static_cast<char>(random());
      std::string back;
      for (const std::string& piece : pieces_of(text, static_cast<PiecePattern>(round % 8))) back += piece;
      CHECK(back == text);
    }
  }
}
