#include "etude/text/character_tokenizer.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "support/refusal.h"
#include "support/temporary_folder.h"

using namespace etude;
using text::CharacterTokenizer;

TEST_SUITE("character_tokenizer") {
  namespace {

  using Ids = std::vector<int64_t>;

  CharacterTokenizer saved_and_loaded(const CharacterTokenizer& tokenizer) {
    const TemporaryFolder folder;
    tokenizer.save(folder / "t.json");
    CHECK(folder.count() == 1);
    return CharacterTokenizer::load(folder / "t.json");
  }

  std::string wrong_with(const std::string& entries) {
    const TemporaryFolder folder;
    const std::string path = folder / "t.json";
    write_bytes(path, "{\"etude_tokenizer\":\"character\",\"version\":1" + entries + "}");
    const std::string text = refusal_text([&] { CharacterTokenizer::load(path); });
    return text.empty() ? text : text.substr(path.size() + 2);
  }

  }  // namespace

  TEST_CASE("ids are the places of the characters in their order") {
    const auto t = CharacterTokenizer::train("hello\nw\xc3\xb6rld\xe4\xb8\xad");
    CHECK(t.vocab_size() == 10);  // \n d e h l o r w ö 中
    CHECK(t.encode("\nhello\xc3\xb6\xe4\xb8\xad") == Ids{0, 3, 2, 4, 4, 5, 8, 9});
    CHECK(t.decode({7, 8, 6, 4, 1}) == "w\xc3\xb6rld");
    CHECK(t.encode("").empty());
    CHECK(t.decode({}).empty());
    CHECK(CharacterTokenizer::train("").vocab_size() == 0);
  }

  TEST_CASE("all code points and any bytes come back as they were, also through a file") {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    for (uint32_t code = 0x80; code < 0x800; ++code) {
      all += static_cast<char>(0xc0 | code >> 6);
      all += static_cast<char>(0x80 | (code & 0x3f));
    }
    all += "\xed\xa0\x80\xf0\x9f\x99\x82\xf4\x8f\xbf\xbf\xf0\x9f";
    const auto t = CharacterTokenizer::train(all);
    CHECK(t.decode(t.encode(all)) == all);
    const auto loaded = saved_and_loaded(t);
    CHECK(loaded.vocab_size() == t.vocab_size());
    CHECK(loaded.encode(all) == t.encode(all));
    std::mt19937 random(5);
    for (int round = 0; round < 100; ++round) {
      std::string text(random() % 300, ' ');
      for (char& c : text) c = static_cast<char>(random());
      auto own = CharacterTokenizer::train(text);
      if (round % 10 == 0) own = saved_and_loaded(own);  // the disk takes its time for each
      CHECK(own.decode(own.encode(text)) == text);
    }
  }

  TEST_CASE("a character that it does not know is named, and so is an id") {
    const auto t = CharacterTokenizer::train("abc");
    CHECK(refusal([&] { t.encode("ab\xc3\xa9"); }) ==
          "ValueError: encode: '\xc3\xa9' (U+00E9) at byte 2 is none of the 3 characters of the vocabulary");
    CHECK(refusal_text([&] { t.encode("a\nb"); }) ==
          "encode: U+000A at byte 1 is none of the 3 characters of the vocabulary");
    CHECK(refusal_text([&] { t.encode("\xff"); }) ==
          "encode: the byte 0xff at byte 0 is none of the 3 characters of the vocabulary");
    CHECK(refusal_lines([&] { t.encode("z"); }).find("hint: train the tokenizer on a text that has it") !=
          std::string::npos);
    CHECK(refusal([&] {
            t.decode({0, 3});
          }) == "IndexError: decode: the id 3 is outside of the vocabulary of 3 tokens");
    CHECK_FALSE(refusal([&] { t.decode({-1}); }).empty());
  }

  TEST_CASE("files that can't be are refused") {
    CHECK(wrong_with(",\"characters\":\"abc\",\"bytes\":[128,255]").empty());
    CHECK(wrong_with(",\"bytes\":[]") == "has no entry \"characters\"");
    CHECK(wrong_with(",\"characters\":[],\"bytes\":[]") ==
          "its entry \"characters\" is an array, which it can't be");
    CHECK(wrong_with(",\"characters\":\"ba\",\"bytes\":[]") ==
          "'b' (U+0062) stands twice or in the wrong order");
    CHECK(wrong_with(",\"characters\":\"aa\",\"bytes\":[]") ==
          "'a' (U+0061) stands twice or in the wrong order");
    CHECK(wrong_with(",\"characters\":\"a\",\"bytes\":[200,200]") ==
          "the byte 0xc8 stands twice or in the wrong order");
    for (const char* byte : {"127", "256", "-1", "128.0", "\"128\"", "[128]", "18446744073709551615"})
      CHECK(wrong_with(std::string(",\"characters\":\"a\",\"bytes\":[") + byte + "]") ==
            std::string(byte) + " among its \"bytes\" is not an integer from 128 to 255");
  }
}
