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

struct Candidate {
  int64_t count;
  BytePair pair;
  // Whether this candidate comes later.
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

class Learner {
 public:
  explicit Learner(const std::vector<CountedPiece>& pieces) {
    size_t size = 1;
    for (const auto& [piece, times] : pieces) size += piece.size() + 1;
    ETUDE_CHECK(size < UINT32_MAX, "train: the different words of the text are ", size,
                " bytes, where less than 2^32 can ", "be learned from\nhint: train on a part of the text");
    tokens_.reserve(size);
    tokens_.push_back({kBorder, 0, 0, 1});
    for (const auto& [piece, times] : pieces) {
      piece_counts_.push_back(times);
      add_piece(piece, static_cast<uint32_t>(piece_counts_.size() - 1));
    }
    for (const auto& [pair, found] : pairs_)
      if (found.count > 1) queue_.push({found.count, pair});
  }

  std::vector<BytePair> learn(int64_t max_rules) {
    std::vector<BytePair> rules;
    BytePair best;
    while (static_cast<int64_t>(rules.size()) < max_rules && next(best)) {
      merge(best, static_cast<int32_t>(bytes_.size()));
      bytes_.push_back(bytes_[static_cast<size_t>(best.first)] + bytes_[static_cast<size_t>(best.second)]);
      rules.push_back(best);
    }
    return rules;
  }

 private:
  struct Token {
    int32_t token;
    uint32_t piece, before, after;
  };
  struct Occurrences {
    int64_t count = 0;
    std::vector<uint32_t> places;  // of the left token; some are outdated
  };

  void add_piece(std::string_view piece, uint32_t number) {
    for (size_t i = 0; i <= piece.size(); ++i) {
      const auto place = static_cast<uint32_t>(tokens_.size());
      const int32_t token = i < piece.size() ? static_cast<uint8_t>(piece[i]) : kBorder;
      tokens_.push_back({token, number, place - 1, place + 1});
      if (i > 0 && token != kBorder)
        count({tokens_[place - 1].token, token}, piece_counts_[number], place - 1);
    }
  }

  void count(const BytePair& pair, int64_t times, uint32_t place) {
    Occurrences& found = pairs_[pair];
    found.count += times;
    if (times > 0) found.places.push_back(place);
  }

  // Counts in the queue may be too large, never too small: only pairs with a new token become more frequent.
  bool next(BytePair& pair) {
    while (!queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const int64_t now = pairs_[best.pair].count;
      if (now == best.count) {
        pair = best.pair;
        if (bytes_[static_cast<size_t>(pair.first)] + bytes_[static_cast<size_t>(pair.second)] <=
            kMaxTokenBytes)
          return true;
      } else if (now > 1) {
        queue_.push({now, best.pair});
      }
    }
    return false;
  }

  void merge(const BytePair& pair, int32_t token) {
    std::vector<uint32_t> places = std::move(pairs_[pair].places);
    std::sort(places.begin(), places.end());
    std::vector<BytePair> grown;
    for (const uint32_t place : places) {
      const Token& t = tokens_[place];
      if (t.token != pair.first || tokens_[t.after].token != pair.second) continue;
      merge_at(place, token);
      grown.emplace_back(tokens_[t.before].token, token);
      grown.emplace_back(token, tokens_[t.after].token);
    }
    pairs_.erase(pair);
    std::sort(grown.begin(), grown.end());
    grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
    for (const BytePair& g : grown) {
      const auto found = pairs_.find(g);
      if (found != pairs_.end() && found->second.count > 1) queue_.push({found->second.count, g});
    }
  }

  void merge_at(uint32_t place, int32_t token) {
    Token& left = tokens_[place];
    Token& right = tokens_[left.after];
    const int64_t times = piece_counts_[left.piece];
    const int32_t before = tokens_[left.before].token, after = tokens_[right.after].token;
    count({left.token, right.token}, -times, place);
    if (before != kBorder) {
      count({before, left.token}, -times, left.before);
      count({before, token}, times, left.before);
    }
    if (after != kBorder) {
      count({right.token, after}, -times, place);
      count({token, after}, times, place);
    }
    left.token = token;
    right.token = kGone;
    left.after = right.after;
    tokens_[left.after].before = place;
  }

  std::vector<Token> tokens_;
  std::vector<int64_t> piece_counts_;
  std::vector<size_t> bytes_ = std::vector<size_t>(kByteTokens, 1);  // of each token
  std::unordered_map<BytePair, Occurrences, BytePairHash> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::vector<BytePair> learn_byte_pairs(const std::vector<CountedPiece>& pieces, int64_t max_rules) {
  return Learner(pieces).learn(max_rules);
}

}  // namespace etude::detail
