// Byte pair encoding, "Neural Machine Translation of Rare Words with Subword Units" (Sennrich, Haddow and
// Birch, 2016), on bytes. All pieces are one linked list of tokens. Each pair has a count and a list of
// possible places; a merge changes only the counts of neighbours, so that learning takes O(n log n) steps.

#include <algorithm>
#include <queue>

#include "etude/core/error.h"
#include "etude/text/detail/byte_pairs.h"

namespace etude::detail {
namespace {

constexpr int32_t kBorder = -1;  // between two pieces
constexpr int32_t kGone = -2;    // merged into the token before

class Learner {
 public:
  explicit Learner(const std::vector<CountedPiece>& pieces) {
    size_t size = 1;
    for (const auto& [piece, times] : pieces) size += piece.size() + 1;
    ETUDE_CHECK(size < UINT32_MAX, "train: the different words of the text are ", size,
                " bytes, where less than 2^32 can ", "be learned from\nhint: train on a part of the text");
    tokens_.reserve(size);
    tokens_.push_back({kBorder, 0, 1, 0});
    for (const auto& [piece, times] : pieces) {
      for (const char c : piece) add(static_cast<uint8_t>(c), times);
      add(kBorder, times);
    }
    for (const auto& [pair, found] : pairs_)
      if (found.count > 1) queue_.emplace(-found.count, pair);
  }

  std::vector<BytePair> learn(int64_t max_rules) {
    std::vector<BytePair> rules;
    while (static_cast<int64_t>(rules.size()) < max_rules && !queue_.empty()) {
      const auto [minus_count, pair] = queue_.top();
      queue_.pop();
      const int64_t now = pairs_[pair].count;
      const size_t bytes = bytes_[static_cast<size_t>(pair.first)] + bytes_[static_cast<size_t>(pair.second)];
      if (now == -minus_count && bytes <= kMaxTokenBytes) {
        merge(pair, static_cast<int32_t>(bytes_.size()));
        bytes_.push_back(bytes);
        rules.push_back(pair);
      } else if (now != -minus_count && now > 1) {
        queue_.emplace(-now, pair);
      }
    }
    return rules;
  }

 private:
  struct Token {
    int32_t token;
    uint32_t before, after;
    int64_t times;  // how often its piece occurs
  };
  struct Occurrences {
    int64_t count = 0;
    std::vector<uint32_t> places;  // of the left token; some are outdated
  };

  void add(int32_t token, int64_t times) {
    const auto place = static_cast<uint32_t>(tokens_.size());
    tokens_.push_back({token, place - 1, place + 1, times});
    count(place - 1, times);
  }

  // Counts the pair at a place, if it is inside of a piece.
  void count(uint32_t place, int64_t times) {
    const BytePair pair(tokens_[place].token, tokens_[tokens_[place].after].token);
    if (pair.first == kBorder || pair.second == kBorder) return;
    Occurrences& found = pairs_[pair];
    found.count += times;
    if (times < 0) return;
    found.places.push_back(place);
    grown_.push_back(pair);
  }

  void merge(const BytePair& pair, int32_t token) {
    std::vector<uint32_t> places = std::move(pairs_[pair].places);
    std::sort(places.begin(), places.end());
    grown_.clear();
    for (const uint32_t place : places)
      if (tokens_[place].token == pair.first && tokens_[tokens_[place].after].token == pair.second)
        merge_at(place, token);
    pairs_.erase(pair);
    std::sort(grown_.begin(), grown_.end());
    grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
    for (const BytePair& g : grown_)
      if (pairs_[g].count > 1) queue_.emplace(-pairs_[g].count, g);
  }

  void merge_at(uint32_t place, int32_t token) {
    Token& left = tokens_[place];
    Token& right = tokens_[left.after];
    for (const uint32_t changed : {left.before, place, left.after}) count(changed, -left.times);
    left.token = token;
    right.token = kGone;
    left.after = right.after;
    tokens_[left.after].before = place;
    for (const uint32_t changed : {left.before, place}) count(changed, left.times);
  }

  std::vector<Token> tokens_;
  std::vector<size_t> bytes_ = std::vector<size_t>(kByteTokens, 1);  // of each token
  std::unordered_map<BytePair, Occurrences, BytePairHash> pairs_;
  std::vector<BytePair> grown_;  // by the last merge
  // Pairs by their negated counts: the most frequent first, among equals the one with the smaller numbers. A count
  // here may be too large, but never too small: only pairs with a new token become more frequent.
  using Candidate = std::pair<int64_t, BytePair>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

}  // namespace

std::vector<BytePair> learn_byte_pairs(const std::vector<CountedPiece>& pieces, int64_t max_rules) {
  return Learner(pieces).learn(max_rules);
}

}  // namespace etude::detail
