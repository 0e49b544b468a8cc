#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "etude/text/detail/byte_pairs.h"

using namespace etude::detail;

TEST_SUITE("byte_pair_learner") {
  namespace {

  /// The definition: count all pairs, join the most frequent pair everywhere, repeat.
  std::vector<BytePair> naive(const std::vector<CountedPiece>& pieces, int64_t max_rules) {
    std::vector<std::vector<int32_t>> words;
    for (const auto& piece : pieces) {
      words.emplace_back();
      for (const char c : piece.first) words.back().push_back(static_cast<uint8_t>(c));
    }
    std::vector<BytePair> rules;
    while (static_cast<int64_t>(rules.size()) < max_rules) {
      std::map<BytePair, int64_t> counts;
      for (size_t w = 0; w < words.size(); ++w)
        for (size_t i = 0; i + 1 < words[w].size(); ++i)
          counts[{words[w][i], words[w][i + 1]}] += pieces[w].second;
      const auto best = std::max_element(counts.begin(), counts.end(),
                                         [](auto& a, auto& b) { return a.second < b.second; });
      if (best == counts.end() || best->second < 2) break;
      for (auto& word : words)
        for (size_t i = 0; i + 1 < word.size(); ++i)
          if (BytePair(word[i], word[i + 1]) == best->first) {
            word[i] = kByteTokens + static_cast<int32_t>(rules.size());
            word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
          }
      rules.push_back(best->first);
    }
    return rules;
  }

  }  // namespace

  TEST_CASE("the most frequent pair is first, of equals the one with the smaller numbers") {
    using Rules = std::vector<BytePair>;
    CHECK(learn_byte_pairs({{"abab", 1}, {"cd", 2}}, 10) == Rules{{'a', 'b'}, {'c', 'd'}});
    CHECK(learn_byte_pairs({{"cd", 2}, {"ab", 3}}, 1) == Rules{{'a', 'b'}});
    CHECK(learn_byte_pairs({{"aaaa", 1}}, 10) == Rules{{'a', 'a'}});
    CHECK(learn_byte_pairs({{"aaaaaaaa", 1}}, 10) == Rules{{'a', 'a'}, {256, 256}});
    CHECK(learn_byte_pairs({{"abcdefgh", 1}, {"a", 5}}, 10).empty());
    CHECK(learn_byte_pairs({{"ab", 2}}, 0).empty());
    CHECK(learn_byte_pairs({}, 5).empty());
  }

  TEST_CASE("random pieces give what the definition gives") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> texts(1 + random() % 12);
      std::vector<CountedPiece> pieces;
      const auto letters = 1 + random() % 4;
      for (std::string& text : texts) {
        text.resize(1 + random() % 20);
        for (char& c : text) c = static_cast<char>('a' + random() % letters);
        pieces.emplace_back(text, 1 + random() % 5);
      }
      const auto most = static_cast<int64_t>(random() % 40);
      CHECK(learn_byte_pairs(pieces, most) == naive(pieces, most));
    }
  }

  TEST_CASE("no token is longer than 4096 bytes") {
    const std::string text(1 << 15, 'a');
    const auto rules = learn_byte_pairs({{text, 1}}, 100);
    CHECK(rules.size() == 12);  // 2, 4, ..., 4096
    CHECK(rules.back() == BytePair(kByteTokens + 10, kByteTokens + 10));
  }

  TEST_CASE("a long piece is learnt from") {
    std::mt19937 random(4);
    std::string text(200000, ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 4);
    CHECK(learn_byte_pairs({{text, 1}}, 500).size() == 500);
  }
}
