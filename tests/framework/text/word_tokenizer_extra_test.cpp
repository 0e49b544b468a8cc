#include "etude/text/word_tokenizer.h"

#include <doctest/doctest.h>

#include <string>

#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using text::WordTokenizer;
using text::WordTokenizerOptions;

TEST_SUITE("word_tokenizer") {
  namespace {

  using Ids = std::vector<int64_t>;

  std::string wrong_with(const std::string& entries) {
    const TemporaryFolder folder;
    const std::string path = folder / "t.json";
    write_bytes(path, "{\"etude_tokenizer\":\"word\",\"version\":1" + entries + "}");
    const std::string text = refusal_text([&] { WordTokenizer::load(path); });
    return text.empty() ? text : text.substr(path.size() + 2);
  }

  }  // namespace

  TEST_CASE("frequent words come first, equally frequent ones in order, and the unknown token before all") {
    const auto t = WordTokenizer::train("b a b, c! c b a  d");
    CHECK(t.vocab_size() == 7);  // <unk> b a c ! , d
    CHECK(t.encode("b a c ! , d") == Ids{1, 2, 3, 4, 5, 6});
    CHECK(t.encode("b x,B") == Ids{1, 0, 5, 0});
    CHECK(t.encode(" \t\n\xe3\x80\x80").empty());
    CHECK(t.decode({1, 0, 5, 2, 4}) == "b <unk>, a!");
  }

  TEST_CASE("words are letters, numbers and accents; everything else stands alone") {
    const auto t = WordTokenizer::train("na\xc3\xafve e\xcc\x81t\xc3\xa9 42nd _x don't (a) [b]");
    CHECK(t.decode(t.encode("na\xc3\xafve e\xcc\x81t\xc3\xa9 42nd")) ==
          "na\xc3\xafve e\xcc\x81t\xc3\xa9 42nd");
    CHECK(t.encode("_x").size() == 2);
    CHECK(t.encode("don't").size() == 3);
    CHECK(t.decode(t.encode("(a)[b]")) == "(a) [b]");
    CHECK(t.encode("\xff") == Ids{0});
  }

  TEST_CASE("options: size, how often, small letters, the unknown token") {
    const std::string text =
        "The the THE a a \xc3\x9c"
        "ber \xc3\xbc"
        "ber";
    const auto small = WordTokenizer::train(text, WordTokenizerOptions().lower_case(true));
    CHECK(small.vocab_size() == 4);
    CHECK(small.encode("tHe A \xc3\x9c"
                       "BER") == Ids{1, 2, 3});
    CHECK(WordTokenizer::train(text).vocab_size() == 7);
    CHECK(WordTokenizer::train(text, WordTokenizerOptions().vocab_size(2)).encode("a The") == Ids{1, 0});
    CHECK(WordTokenizer::train(text, WordTokenizerOptions().min_count(2)).vocab_size() == 2);
    const auto other = WordTokenizer::train(text, WordTokenizerOptions().unknown_token("?"));
    CHECK(other.decode({0}) == "?");
    CHECK(WordTokenizer::train("? ? a", WordTokenizerOptions().unknown_token("?")).encode("? a") ==
          Ids{0, 1});
    CHECK(refusal([&] { WordTokenizer::train(text, WordTokenizerOptions().vocab_size(-1)); }) ==
          "ValueError: train: vocab_size -1 and min_count 1 can't be less than 0");
    CHECK(refusal([&] { WordTokenizer::train(text, WordTokenizerOptions().unknown_token("\xff")); }) ==
          "ValueError: train: the unknown token is not UTF-8");
  }

  TEST_CASE("a file gives the tokenizer back") {
    const TemporaryFolder folder;
    const std::string text = "To be, or not to be: that is the question \xe4\xb8\xad\xff";
    const auto t = WordTokenizer::train(text, WordTokenizerOptions().lower_case(true).vocab_size(9));
    t.save(folder / "t.json");
    const auto loaded = WordTokenizer::load(folder / "t.json");
    CHECK(loaded.vocab_size() == 9);
    CHECK(loaded.encode("TO " + text) == t.encode("TO " + text));
    CHECK(loaded.decode({0, 1, 2, 8}) == t.decode({0, 1, 2, 8}));
  }

  TEST_CASE("ids and files that can't be are refused") {
    const auto t = WordTokenizer::train("a");
    CHECK(refusal([&] { t.decode({2}); }) ==
          "IndexError: decode: the id 2 is outside of the vocabulary of 2 tokens");
    CHECK(refusal([&] { t.decode({-1}); }) ==
          "IndexError: decode: the id -1 is outside of the vocabulary of 2 tokens");
    const std::string lower = ",\"lower_case\":true";
    CHECK(wrong_with(lower + ",\"words\":[\"<unk>\"]").empty());
    CHECK(wrong_with(lower + ",\"words\":[]") == "has no words, where the first one is the unknown token");
    CHECK(wrong_with(lower + ",\"words\":[\"a\",1]") == "1 among its \"words\" is not a text");
    CHECK(wrong_with(lower + ",\"words\":[\"a\",\"a\"]") == "has one of its \"words\" twice");
    CHECK(wrong_with(lower) == "has no entry \"words\"");
    CHECK(wrong_with(",\"lower_case\":1,\"words\":[]") ==
          "its entry \"lower_case\" is a number, which it can't be");
  }
}
