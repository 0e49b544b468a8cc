#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace etude::detail {

/// The two tokens that a rule merges. Tokens below 256 are bytes; rule i of a list makes the token 256 + i.
using BytePair = std::pair<int32_t, int32_t>;

constexpr int32_t kByteTokens = 256;
constexpr size_t kMaxTokenBytes = 4096;

/// How a text falls into pieces, inside which byte pairs are merged. In all but kWhole a piece is a word with the blank
/// before it, a number, a run of other characters, blanks, or 's, 't, 're, 've, 'm, 'll and 'd after a word.
enum class PiecePattern : uint8_t {
  kWhole,       // one piece
  kGpt2,        // also r50k and p50k
  kGpt2Digits,  // each digit is a piece: SmolLM2
  kCl100k,      // as tiktoken has it, with the last blanks in one piece
  kLlama3,
  kQwen2,
  kO200k,
  kTekken,  // Mistral Nemo
};

/// The regular expression whose matches are the pieces; not for kWhole and kGpt2Digits.
std::string expression_of(PiecePattern pattern);

/// The end of the piece that begins at `begin` of a text.
size_t piece_end(std::string_view text, size_t begin, PiecePattern pattern = PiecePattern::kGpt2);

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

/// The token that a pair becomes. Of several rules that match, the one with the lowest rank is applied.
struct MergeRule {
  int32_t rank, token;
};

/// Applies rules to pieces of text.
class BytePairMerger {
 public:
  using Rules = std::unordered_map<BytePair, MergeRule, BytePairHash>;
  /// `rules` must outlive this object.
  explicit BytePairMerger(const Rules& rules) : rules_(rules) {}
  /// Appends what the tokens of a piece become: while any rule matches, the earliest rule is applied, from left to
  /// right.
  void append(const std::vector<int32_t>& tokens, std::vector<int64_t>& ids);

 private:
  struct Link {
    int32_t token;  // -1 once merged into the token before
    uint32_t before, after;
  };
  using Candidate = std::tuple<int32_t, uint32_t, int32_t>;  // a rank, a place and the token of the rule

  const MergeRule* rule_at(uint32_t place) const;
  void consider(uint32_t place);

  const Rules& rules_;
  std::vector<Link> links_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

/// The rules and tables that turn pieces of text into tokens.
struct BytePairModel {
  PiecePattern pattern = PiecePattern::kGpt2;
  BytePairMerger::Rules rules;
  std::array<int32_t, 256> bytes;  // the token of each byte; -1 if there is none
  /// Whether a piece is first split into characters, and into bytes only where a character is no token.
  bool of_characters = false;
  bool whole_pieces = false;  // whether a piece that is a token is not merged
  /// Tokens by their bytes, for of_characters and whole_pieces.
  std::unordered_map<std::string_view, int32_t> tokens;
  int32_t unknown = -1;  // the token for characters without one; -1 to leave them out
  bool fuse_unknown = false;
};

/// Encodes parts of one text. A piece that comes again is not merged again.
class PieceEncoder {
 public:
  /// `model` must outlive this object.
  explicit PieceEncoder(const BytePairModel& model) : model_(model), merger_(model.rules) {}
  /// Appends the tokens of a part, which must outlive this object.
  void append(std::string_view part);
  std::vector<int64_t> ids;

 private:
  void append_piece(std::string_view piece);
  const BytePairModel& model_;
  BytePairMerger merger_;
  std::vector<int32_t> tokens_;
  std::unordered_map<std::string_view, std::pair<size_t, size_t>> known_;  // begin and count in ids
};

}  // namespace etude::detail
