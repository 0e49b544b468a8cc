#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "etude/text/detail/byte_pairs.h"

using namespace etude::detail;

TEST_SUITE("byte_pair_merger") {
  namespace {

  BytePairMerger::Rules rules_of(const std::vector<BytePair>& pairs) {
    BytePairMerger::Rules rules;
    for (int32_t i = 0; i < static_cast<int32_t>(pairs.size()); ++i)
      rules.emplace(pairs[static_cast<size_t>(i)], MergeRule{i, kByteTokens + i});
    return rules;
  }

  /// The definition: one rule after the other, from left to right.
  std::vector<int64_t> applied(const std::vector<BytePair>& pairs, const std::string& piece) {
    std::vector<int64_t> tokens;
    for (const char c : piece) tokens.push_back(static_cast<uint8_t>(c));
    for (size_t i = 0; i < pairs.size(); ++i)
      for (size_t at = 0; at + 1 < tokens.size(); ++at)
        if (tokens[at] == pairs[i].first && tokens[at + 1] == pairs[i].second) {
          tokens[at] = static_cast<int64_t>(kByteTokens + i);
          tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        }
    return tokens;
  }

  std::vector<int64_t> merged(const std::vector<BytePair>& pairs, const std::string& piece) {
    const auto rules = rules_of(pairs);
    std::vector<int64_t> ids;
    std::vector<int32_t> tokens;
    for (const char c : piece) tokens.push_back(static_cast<uint8_t>(c));
    BytePairMerger(rules).append(tokens, ids);
    return ids;
  }

  }  // namespace

  TEST_CASE("the first rule that fits goes first, from left to right") {
    const std::vector<BytePair> pairs = {{'b', 'c'}, {'a', 'b'}, {'a', 'a'}, {256, 'd'}};
    CHECK(merged(pairs, "abcd") == std::vector<int64_t>{'a', 259});
    CHECK(merged(pairs, "aaab") == std::vector<int64_t>{258, 257});
    CHECK(merged(pairs, "aaa") == std::vector<int64_t>{258, 'a'});
    CHECK(merged(pairs, "x") == std::vector<int64_t>{'x'});
    CHECK(merged({}, "ab\xff") == std::vector<int64_t>{'a', 'b', 0xff});
  }

  TEST_CASE("ranks order rules, and tokens need not") {
    // "c" is 100; rules of the same rank are applied from left to right.
    const BytePairMerger::Rules rules = {{{'a', 'b'}, {1, 90}}, {{'b', 'a'}, {1, 91}}, {{90, 'a'}, {0, 92}}};
    std::vector<int64_t> ids;
    BytePairMerger(rules).append({'b', 'a', 'b', 'a', 'b'}, ids);
    CHECK(ids == std::vector<int64_t>{91, 91, 'b'});
    ids.clear();
    BytePairMerger(rules).append({'a', 'b', 'a', 'b'}, ids);
    CHECK(ids == std::vector<int64_t>{92, 'b'});
    BytePairMerger(rules).append({}, ids);
    CHECK(ids.size() == 2);
  }

  TEST_CASE("pieces begin as characters, and as bytes or unknown where these are no tokens") {
    BytePairModel model;
    model.pattern = PiecePattern::kWhole;
    model.of_characters = true;
    model.bytes.fill(-1);
    model.bytes['x'] = 7;
    model.tokens = {{"a", 1}, {"\u00e9", 2}, {"a\u00e9", 3}, {"whole", 4}};
    model.rules = {{{1, 2}, {0, 3}}};
    const auto encoded = [&](std::string_view text) {
      PieceEncoder encoder(model);
      encoder.append(text);
      return encoder.ids;
    };
    using Ids = std::vector<int64_t>;
    CHECK(encoded("a\u00e9xa") == Ids{3, 7, 1});
    CHECK(encoded("a\u00eezzwholea") == Ids{1, 1});  // left out
    model.unknown = 0;
    CHECK(encoded("a\u00eezza") == Ids{1, 0, 0, 0, 1});
    model.fuse_unknown = true;
    CHECK(encoded("a\u00eezzxza") == Ids{1, 0, 7, 0, 1});
    CHECK(encoded("whole") == Ids{0});
    model.whole_pieces = true;
    CHECK(encoded("whole") == Ids{4});
  }

  TEST_CASE("random rules give what the definition gives") {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
      std::vector<BytePair> pairs;
      const auto token = [&] {
        const auto n = random() % (3 + pairs.size());
        return static_cast<int32_t>(n < 3 ? 'a' + n : kByteTokens + n - 3);
      };
      while (pairs.size() < 12) {
        const BytePair pair{token(), token()};
        if (rules_of(pairs).count(pair) == 0) pairs.push_back(pair);
      }
      std::string piece(1 + random() % 60, ' ');
      for (char& c : piece) c = static_cast<char>('a' + random() % 3);
      CHECK(merged(pairs, piece) == applied(pairs, piece));
    }
  }

  TEST_CASE("a piece of a million bytes does not take a million million steps") {
    std::vector<BytePair> pairs = {{'a', 'a'}};
    while (pairs.size() < 10) {
      const auto last = kByteTokens + static_cast<int32_t>(pairs.size()) - 1;
      pairs.emplace_back(last, last);
    }
    CHECK(merged(pairs, std::string(1 << 20, 'a')) == std::vector<int64_t>(1 << 10, kByteTokens + 9));
  }
}
