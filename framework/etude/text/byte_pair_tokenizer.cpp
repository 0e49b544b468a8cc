#include "etude/text/byte_pair_tokenizer.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "etude/core/error.h"
#include "etude/text/detail/byte_pairs.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

using etude::detail::BytePair;
using etude::detail::BytePairMerger;
using etude::detail::kByteTokens;
using nlohmann::json;

constexpr char kKind[] = "byte_pair";

// The error in a list of special tokens; empty if there is none.
std::string wrong_with(const std::vector<std::string>& special_tokens) {
  for (size_t i = 0; i < special_tokens.size(); ++i) {
    const std::string& token = special_tokens[i];
    if (token.empty()) return "a special token is empty";
    if (!etude::detail::is_utf8(token)) return str("special token ", i, " is not UTF-8");
    for (size_t at = 0; at < token.size();) {
      const auto c = etude::detail::character_at(token, at);
      if (etude::detail::class_of(c.code) == etude::detail::CharacterClass::kSpace)
        return str("the special token \"", token, "\" has a blank");
      at += c.size;
    }
    if (std::find(special_tokens.begin(), special_tokens.begin() + static_cast<std::ptrdiff_t>(i), token) !=
        special_tokens.begin() + static_cast<std::ptrdiff_t>(i))
      return str("the special token \"", token, "\" is there twice");
  }
  return {};
}

// Calls ordinary(text) and special(number) for the parts of a text. Of special tokens at one place the longest wins.
template <typename Ordinary, typename Special>
void at_special_tokens(std::string_view text, const std::vector<std::string>& tokens,
                       const Ordinary& ordinary, const Special& special) {
  std::vector<size_t> found;
  found.reserve(tokens.size());
  for (const std::string& t : tokens) found.push_back(text.find(t));
  for (size_t at = 0;;) {
    size_t best = tokens.size();
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (found[i] < at) found[i] = text.find(tokens[i], at);
      if (found[i] == std::string_view::npos) continue;
      const bool better = best == tokens.size() || found[i] < found[best] ||
                          (found[i] == found[best] && tokens[i].size() > tokens[best].size());
      if (better) best = i;
    }
    const size_t end = best == tokens.size() ? text.size() : found[best];
    if (end > at) ordinary(text.substr(at, end - at));
    if (best == tokens.size()) return;
    special(best);
    at = end + tokens[best].size();
  }
}

template <typename F>
void for_each_piece(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = etude::detail::piece_end(text, at);
    f(text.substr(at, end - at));
    at = end;
  }
}

// Encodes parts of one text and caches its pieces.
class Encoder {
 public:
  explicit Encoder(const BytePairMerger::Rules& rules) : merger_(rules) {}
  void append(std::string_view text) {
    for_each_piece(text, [this](std::string_view piece) {
      const auto [known, is_new] = known_.try_emplace(piece, ids.size(), 0);
      auto& [begin, count] = known->second;
      if (is_new) {
        merger_.append(piece, ids);
        count = ids.size() - begin;
      } else {
        for (size_t i = 0; i < count; ++i) ids.push_back(ids[begin + i]);
      }
    });
  }
  std::vector<int64_t> ids;

 private:
  BytePairMerger merger_;
  std::unordered_map<std::string_view, std::pair<size_t, size_t>> known_;  // begin and count in ids
};

}  // namespace

struct BytePairTokenizer::Vocabulary {
  std::vector<BytePair> pairs;
  BytePairMerger::Rules rules;
  std::vector<std::string> tokens;  // bytes of each token, special tokens included
  std::vector<std::string> special_tokens;

  // Returns the error in a pair; empty if there is none.
  std::string add(const BytePair& pair) {
    const auto id = static_cast<int32_t>(tokens.size());
    const auto known = [id](int32_t token) { return token >= 0 && token < id; };
    if (!known(pair.first) || !known(pair.second)) return "has a token that is not there yet";
    std::string bytes = tokens[static_cast<size_t>(pair.first)] + tokens[static_cast<size_t>(pair.second)];
    if (bytes.size() > etude::detail::kMaxTokenBytes) return "makes a token of more than 4096 bytes";
    if (!rules.emplace(pair, id).second) return "is there twice";
    tokens.push_back(std::move(bytes));
    pairs.push_back(pair);
    return {};
  }
  static std::shared_ptr<Vocabulary> of_bytes() {
    auto v = std::make_shared<Vocabulary>();
    for (int byte = 0; byte < kByteTokens; ++byte) v->tokens.emplace_back(1, static_cast<char>(byte));
    return v;
  }
  void finish(std::vector<std::string> specials) {
    tokens.insert(tokens.end(), specials.begin(), specials.end());
    special_tokens = std::move(specials);
  }
};

BytePairTokenizer BytePairTokenizer::train(std::string_view text, int64_t vocab_size,
                                           const std::vector<std::string>& special_tokens) {
  const std::string wrong = wrong_with(special_tokens);
  ETUDE_CHECK_VALUE(wrong.empty(), "train: ", wrong);
  const auto least = static_cast<int64_t>(special_tokens.size()) + kByteTokens;
  ETUDE_CHECK_VALUE(vocab_size >= least && vocab_size <= INT32_MAX, "train: a vocabulary of ", vocab_size,
                    " tokens can't be, 256 bytes and ", special_tokens.size(), " special tokens are ", least,
                    " already");
  std::unordered_map<std::string_view, int64_t> counts;
  at_special_tokens(
      text, special_tokens,
      [&](std::string_view part) { for_each_piece(part, [&](std::string_view piece) { ++counts[piece]; }); },
      [](size_t) {});
  const std::vector<etude::detail::CountedPiece> pieces(counts.begin(), counts.end());
  const auto vocabulary = Vocabulary::of_bytes();
  for (const BytePair& pair : etude::detail::learn_byte_pairs(pieces, vocab_size - least))
    vocabulary->add(pair);
  vocabulary->finish(special_tokens);
  return BytePairTokenizer(vocabulary);
}

BytePairTokenizer BytePairTokenizer::load(const std::string& path) {
  const json file = detail::read_tokenizer_file(path, kKind);
  const auto vocabulary = Vocabulary::of_bytes();
  for (const json& pair : detail::entry(path, file, "merges", &json::is_array)) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                         pair[1].is_number_unsigned() && pair[0] <= INT32_MAX && pair[1] <= INT32_MAX;
    const std::string wrong = is_pair ? vocabulary->add({pair[0].get<int32_t>(), pair[1].get<int32_t>()})
                                      : "is not two ids of tokens";
    ETUDE_CHECK(wrong.empty(), path, ": ", pair.dump(), " among its \"merges\" ", wrong);
  }
  std::vector<std::string> special_tokens;
  for (const json& token : detail::entry(path, file, "special_tokens", &json::is_array)) {
    ETUDE_CHECK(token.is_string(), path, ": ", token.dump(), " among its \"special_tokens\" is no text");
    special_tokens.push_back(token);
  }
  const std::string wrong = wrong_with(special_tokens);
  ETUDE_CHECK(wrong.empty(), path, ": ", wrong);
  vocabulary->finish(std::move(special_tokens));
  return BytePairTokenizer(vocabulary);
}

std::vector<int64_t> BytePairTokenizer::encode(std::string_view text) const {
  Encoder encoder(vocabulary_->rules);
  const auto first_special = static_cast<int64_t>(kByteTokens + vocabulary_->pairs.size());
  at_special_tokens(
      text, vocabulary_->special_tokens, [&](std::string_view part) { encoder.append(part); },
      [&](size_t i) { encoder.ids.push_back(first_special + static_cast<int64_t>(i)); });
  return std::move(encoder.ids);
}

std::vector<int64_t> BytePairTokenizer::encode_ordinary(std::string_view text) const {
  Encoder encoder(vocabulary_->rules);
  encoder.append(text);
  return std::move(encoder.ids);
}

std::string BytePairTokenizer::decode(ArrayRef<int64_t> ids) const {
  std::string text;
  for (const int64_t id : ids) text += detail::token_of(vocabulary_->tokens, id);
  return text;
}

int64_t BytePairTokenizer::vocab_size() const { return static_cast<int64_t>(vocabulary_->tokens.size()); }

int64_t BytePairTokenizer::special_token(const std::string& token) const {
  const auto& all = vocabulary_->special_tokens;
  const auto found = std::find(all.begin(), all.end(), token);
  ETUDE_CHECK_VALUE(found != all.end(), "special_token: \"", token, "\" is none of the ", all.size(),
                    " special tokens\nhint: give it to train()");
  return vocab_size() - (all.end() - found);
}

void BytePairTokenizer::save(const std::string& path) const {
  detail::write_tokenizer_file(
      path, kKind, {{"merges", vocabulary_->pairs}, {"special_tokens", vocabulary_->special_tokens}});
}

}  // namespace etude::text
