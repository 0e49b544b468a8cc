#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace etude::detail {

/// The two tokens that a rule merges. Tokens below 256 are bytes; rule i of a list makes the token 256 + i.
using BytePair = std::pair<int32_t, int32_t>;

constexpr int32_t kByteTokens = 256;
constexpr size_t kMaxTokenBytes = 4096;

/// The end of the piece that begins at `begin` of a text. Byte pairs are merged only inside a piece: a word with the
/// blank before it, a number, a run of other characters, blanks, or 's, 't, 're, 've, 'm, 'll and 'd after a word.
size_t piece_end(std::string_view text, size_t begin);

/// A piece of text and the number of its occurrences.
using CountedPiece = std::pair<std::string_view, int64_t>;

/// At most `max_rules` rules. Each merges the pair of neighbours that is most frequent after the rules before
/// it; of equally frequent pairs, the one with the smaller numbers. Stops early when no pair occurs twice.
std::vector<BytePair> learn_byte_pairs(const std::vector<CountedPiece>& pieces, int64_t max_rules);

struct BytePairHash {
  size_t operator()(const BytePair& p) const {
    const uint64_t both =
        static_cast<uint64_t>(static_cast<uint32_t>(p.first)) << 32 | static_cast<uint32_t>(p.second);
    return static_cast<size_t>((both * 0x9e3779b97f4a7c15ULL) >> 16);
  }
};

/// Applies rules to pieces of text.
class BytePairMerger {
 public:
  using Rules = std::unordered_map<BytePair, int32_t, BytePairHash>;
  /// `rules` gives the token of a pair, and must outlive this object.
  explicit BytePairMerger(const Rules& rules) : rules_(rules) {}
  /// Appends the tokens of a piece: while any rule matches, the earliest rule is applied, from left to right.
  void append(std::string_view piece, std::vector<int64_t>& ids);

 private:
  struct Link {
    int32_t token;  // -1 once merged into the token before
    uint32_t before, after;
  };
  using Candidate = std::pair<int32_t, uint32_t>;  // the token it makes, and its place

  void consider(uint32_t place);
  void merge(uint32_t place, int32_t token);

  const Rules& rules_;
  std::vector<Link> links_;
  std::vector<Candidate> candidates_;  // a heap with the least in front
};

}  // namespace etude::detail
