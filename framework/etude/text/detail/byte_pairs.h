#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace etude::detail {

/// The two tokens that become one. Tokens below 256 are bytes; the rule at place i of a list makes the token 256 + i.
using BytePair = std::pair<int32_t, int32_t>;

constexpr int32_t kByteTokens = 256;
constexpr size_t kMaxTokenBytes = 4096;

/// Where the piece ends that begins at `begin` of a text. Byte pairs are merged inside of a piece alone: a word with
/// the blank before it, a number, a run of other characters, blanks, or 's, 't, 're, 've, 'm, 'll and 'd behind a word.
size_t piece_end(std::string_view text, size_t begin);

/// A piece of text, and how often it occurs.
using CountedPiece = std::pair<std::string_view, int64_t>;

/// At most `max_rules` rules, each that of the pair of neighbours that is most frequent when the rules before have been
/// applied; of pairs that are equally frequent, the one with the smaller numbers. Ends early when no pair occurs twice.
/// Adds to `steps`, if given, how many places and candidates it looked at.
std::vector<BytePair> learn_byte_pairs(const std::vector<CountedPiece>& pieces, int64_t max_rules,
                                       int64_t* steps = nullptr);

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
  /// `rules` gives the token of a pair, and has to stay alive.
  explicit BytePairMerger(const Rules& rules) : rules_(rules) {}
  /// Appends the tokens of a piece: while a rule fits anywhere, the first of the rules is applied, from left to right.
  void append(std::string_view piece, std::vector<int64_t>& ids);
  /// How many candidates append() has looked at in all.
  int64_t steps() const { return steps_; }

 private:
  struct Link {
    int32_t token;  // -1 when it has become a part of the one before
    uint32_t before, after;
  };
  using Candidate = std::pair<int32_t, uint32_t>;  // the token it makes, and its place

  void start(std::string_view piece);
  void consider(uint32_t place);
  void merge(uint32_t place, int32_t token);

  const Rules& rules_;
  std::vector<Link> links_;
  std::vector<Candidate> candidates_;  // a heap, the least in front
  int64_t steps_ = 0;
};

}  // namespace etude::detail
