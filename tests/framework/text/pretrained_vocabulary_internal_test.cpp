#include "etude/text/detail/pretrained_vocabulary.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>

#include "etude/text/pretrained_tokenizer.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::text::detail;
using etude::detail::BytePair;

TEST_SUITE("pretrained_vocabulary") {
  namespace {

  PretrainedVocabulary scored(std::vector<std::string> tokens, std::vector<float> scores) {
    PretrainedVocabulary v;
    v.source = "file";
    v.tokens = std::move(tokens);
    v.scores = std::move(scores);
    return v;
  }

  }  // namespace

  TEST_CASE("bytes have visible characters in GPT-2's alphabet") {
    CHECK(in_byte_alphabet("a \n\xe9\xad") == "a\u0120\u010a\u00e9\u0143");
    std::set<std::string> all;
    for (int byte = 0; byte < 256; ++byte) {
      const std::string one(1, static_cast<char>(byte));
      all.insert(in_byte_alphabet(one));
      CHECK(from_byte_alphabet(in_byte_alphabet(one)) == one);
    }
    CHECK(all.size() == 256);
    CHECK(from_byte_alphabet("a b") == std::nullopt);
    CHECK(byte_of_token("<0x0A>") == 10);
    for (const char* token : {"<0x0a>", "<0x0A", "0x0A>", "<0x0G>", ""}) CHECK(byte_of_token(token) == -1);
    CHECK(replaced("a  b ", " ", "--") == "a----b--");
    CHECK(replaced("", " ", "-").empty());
  }

  TEST_CASE("pairs of tokens that are a token merge in the order of its score") {
    const auto v = scored({"a", "b", "ab", "aab", "aa"}, {0, 0, -2, -3, -2});
    const auto merges = ranked_merges(v);
    REQUIRE(merges.size() == 4);
    CHECK(merges[0].first == BytePair{0, 1});
    CHECK(merges[1].first == BytePair{0, 0});
    CHECK(merges[1].second.rank == merges[0].second.rank);  // of the same score
    CHECK(merges[2].first == BytePair{0, 2});               // a ab
    CHECK(merges[3].first == BytePair{4, 1});               // aa b
    CHECK(merges[3].second.token == 3);
    CHECK(merges[3].second.rank == 1);
  }

  TEST_CASE("merges name tokens") {
    auto v = scored({"a", "b", "ab"}, {});
    MergeReader reader(v);
    reader.add("a b");
    CHECK(v.merges == std::vector<BytePair>{{0, 1}});
    CHECK(refusal([&] { reader.add("a c"); }) == "Error: file: Token `c` out of vocabulary");
    CHECK(refusal([&] { reader.add("a b ab"); }) ==
          "Error: file: \"a b ab\" among its merges is not two tokens");
    CHECK(refusal([&] { reader.add("ab"); }) == "Error: file: \"ab\" among its merges is not two tokens");
    v.merges = {{1, 0}};
    CHECK(refusal([&] { ranked_merges(v); }) == "Error: file: Token `ba` out of vocabulary");
    v.merges = {{1, 3}};
    CHECK(refusal([&] { ranked_merges(v); }) ==
          "Error: file: merges a token that the vocabulary does not contain");
  }

  TEST_CASE("what can't be a vocabulary is refused") {
    using text::PretrainedTokenizer;
    const auto wrong = [](const auto& change) {
      auto v = scored({"a", "b"}, {0, 0});
      change(v);
      return refusal([&] { PretrainedTokenizer{v}; });
    };
    CHECK(wrong([](auto&) {}).empty());
    CHECK(wrong([](auto& v) { v.tokens.clear(); }) == "Error: file: has no tokens");
    CHECK(wrong([](auto& v) { v.scores.pop_back(); }) == "Error: file: has tokens without a score");
    CHECK(wrong([](auto& v) { v.scores[0] = NAN; }) == "Error: file: has tokens without a score");
    CHECK(wrong([](auto& v) { v.tokens[1] = "a"; }) ==
          "Error: file: has the token \"a\" twice, as 0 and as 1");
    CHECK(wrong([](auto& v) { v.tokens[1] = "\xff"; }) ==
          "Error: file: has a token that is not UTF-8, or of more than 4096 bytes");
    CHECK(wrong([](auto& v) { v.tokens[1] = std::string(5000, 'a'); }).find("4096") != std::string::npos);
    CHECK(wrong([](auto& v) { v.unknown = 2; }) == "Error: file: can't have a token 2 among 2");
    CHECK(wrong([](auto& v) { v.before = {-1}; }) == "Error: file: can't have a token -1 among 2");
    CHECK(wrong([](auto& v) {
            v.added = {{"x", int64_t{1} << 40}};
          }).find("can't have a token") != std::string::npos);
    CHECK(wrong([](auto& v) {
            v.added = {{"a", 1}};
          }) == "Error: file: has the token \"a\" twice, as 0 and as 1");
    auto v = scored({}, {});
    place_token(v, 2, 3, "x");
    CHECK(v.tokens == std::vector<std::string>{"", "", "", "x"});
    CHECK(refusal([&] { place_token(v, 2, 3, "y"); }) ==
          "Error: file: the tokens \"x\" and \"y\" are both 3");
    CHECK(refusal([&] { place_token(v, 2, 1 << 20, "y"); }) ==
          "Error: file: the token \"y\" can't have the id 1048576 among 2 tokens");
  }
}
