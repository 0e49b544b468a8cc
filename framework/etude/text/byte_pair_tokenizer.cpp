#include "etude/text/byte_pair_tokenizer.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

using etude::detail::BytePair;
using etude::detail::kByteTokens;
using etude::detail::MergeRule;
using etude::detail::PieceEncoder;
using nlohmann::json;

constexpr char kKind[] = "byte_pair";

// The error in a list of special tokens; empty if there is none.
std::string wrong_with(const std::vector<std::string>& special_tokens) {
  for (size_t i = 0; i < special_tokens.size(); ++i) {
    const std::string& token = special_tokens[i];
    if (token.empty()) return "a special token is empty";
    if (!etude::detail::is_utf8(token)) return str("special token ", i, " is not UTF-8");
    for (size_t at = 0; at < token.size(); at += etude::detail::character_at(token, at).size)
      if (etude::detail::is_blank(token, at)) return str("the special token \"", token, "\" has a blank");
    if (std::count(special_tokens.data(), &token, token) > 0)
      return str("the special token \"", token, "\" is there twice");
  }
  return {};
}

detail::AddedTokens added_tokens(const std::vector<std::string>& specials, int64_t first_id) {
  std::map<std::string, detail::AddedToken, std::less<>> tokens;
  for (const std::string& token : specials) tokens[token] = {token, first_id++, true};
  return detail::AddedTokens(std::move(tokens));
}

}  // namespace

struct BytePairTokenizer::Vocabulary {
  std::vector<BytePair> pairs;
  etude::detail::BytePairModel model;
  std::vector<std::string> tokens;  // bytes of each token, those of special tokens last
  detail::AddedTokens added;

  Vocabulary() {
    for (int byte = 0; byte < kByteTokens; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    std::iota(model.bytes.begin(), model.bytes.end(), 0);
  }
  // Returns the error in a pair; empty if there is none.
  std::string add(const BytePair& pair) {
    const auto id = static_cast<int32_t>(tokens.size());
    const auto known = [id](int32_t token) { return token >= 0 && token < id; };
    if (!known(pair.first) || !known(pair.second)) return "has a token that is not there yet";
    std::string bytes = tokens[static_cast<size_t>(pair.first)] + tokens[static_cast<size_t>(pair.second)];
    if (bytes.size() > etude::detail::kMaxTokenBytes) return "makes a token of more than 4096 bytes";
    if (!model.rules.emplace(pair, MergeRule{id, id}).second) return "is there twice";
    tokens.push_back(std::move(bytes));
    pairs.push_back(pair);
    return {};
  }
  void add(const std::vector<std::string>& specials) {
    added = added_tokens(specials, static_cast<int64_t>(tokens.size()));
    tokens.insert(tokens.end(), specials.begin(), specials.end());
  }
  std::vector<std::string> special_tokens() const {
    return {tokens.begin() + kByteTokens + static_cast<std::ptrdiff_t>(pairs.size()), tokens.end()};
  }
  std::vector<int64_t> encoded(std::string_view text, bool specials) const {
    PieceEncoder encoder(model);
    added.split(
        text, specials, [&](size_t begin, size_t end) { encoder.append(text.substr(begin, end - begin)); },
        [&](const detail::AddedToken& token) { encoder.ids.push_back(token.id); });
    return std::move(encoder.ids);
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
  added_tokens(special_tokens, 0)
      .split(
          text, true,
          [&](size_t begin, size_t end) {
            for (size_t at = begin; at < end; begin = at) {
              at = etude::detail::piece_end(text.substr(0, end), at);
              ++counts[text.substr(begin, at - begin)];
            }
          },
          [](const detail::AddedToken&) {});
  const std::vector<etude::detail::CountedPiece> pieces(counts.begin(), counts.end());
  const auto vocabulary = std::make_shared<Vocabulary>();
  for (const BytePair& pair : etude::detail::learn_byte_pairs(pieces, vocab_size - least))
    vocabulary->add(pair);
  vocabulary->add(special_tokens);
  return BytePairTokenizer(vocabulary);
}

BytePairTokenizer BytePairTokenizer::load(const std::string& path) {
  const json file = detail::read_tokenizer_file(path, kKind);
  const auto vocabulary = std::make_shared<Vocabulary>();
  for (const json& pair : detail::entry(path, file, "merges", &json::is_array)) {
    const bool is_pair = pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() &&
                         pair[1].is_number_unsigned() && pair[0] <= INT32_MAX && pair[1] <= INT32_MAX;
    const std::string wrong = is_pair ? vocabulary->add({pair[0].get<int32_t>(), pair[1].get<int32_t>()})
                                      : "is not two ids of tokens";
    ETUDE_CHECK(wrong.empty(), path, ": ", pair.dump(), " among its \"merges\" ", wrong);
  }
  std::vector<std::string> special_tokens;
  for (const json& token : detail::entry(path, file, "special_tokens", &json::is_array)) {
    ETUDE_CHECK(token.is_string(), path, ": ", token.dump(), " among its \"special_tokens\" is not a text");
    special_tokens.push_back(token);
  }
  const std::string wrong = wrong_with(special_tokens);
  ETUDE_CHECK(wrong.empty(), path, ": ", wrong);
  vocabulary->add(special_tokens);
  return BytePairTokenizer(vocabulary);
}

std::vector<int64_t> BytePairTokenizer::encode(std::string_view text) const {
  return vocabulary_->encoded(text, true);
}

std::vector<int64_t> BytePairTokenizer::encode_ordinary(std::string_view text) const {
  return vocabulary_->encoded(text, false);
}

std::string BytePairTokenizer::decode(ArrayRef<int64_t> ids) const {
  std::string text;
  for (const int64_t id : ids) text += detail::token_of(vocabulary_->tokens, id);
  return text;
}

int64_t BytePairTokenizer::vocab_size() const { return static_cast<int64_t>(vocabulary_->tokens.size()); }

int64_t BytePairTokenizer::special_token(const std::string& token) const {
  const auto all = vocabulary_->special_tokens();
  const auto found = std::find(all.begin(), all.end(), token);
  ETUDE_CHECK_VALUE(found != all.end(), "special_token: \"", token, "\" is none of the ", all.size(),
                    " special tokens\nhint: give it to train()");
  return vocab_size() - (all.end() - found);
}

void BytePairTokenizer::save(const std::string& path) const {
  detail::write_tokenizer_file(
      path, kKind, {{"merges", vocabulary_->pairs}, {"special_tokens", vocabulary_->special_tokens()}});
}

detail::PretrainedVocabulary BytePairTokenizer::pretrained() const {
  detail::PretrainedVocabulary v;
  v.source = "BytePairTokenizer";
  v.merges = vocabulary_->pairs;
  for (const std::string& token : vocabulary_->tokens) v.tokens.push_back(detail::in_byte_alphabet(token));
  v.tokens.resize(kByteTokens + v.merges.size());
  for (const std::string& token : vocabulary_->special_tokens())
    v.added.push_back({token, special_token(token), true});
  return v;
}

}  // namespace etude::text
