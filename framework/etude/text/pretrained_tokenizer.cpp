#include "etude/text/pretrained_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <map>
#include <unordered_map>
#include <utility>

#include "etude/core/error.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

using detail::AddedToken;
using detail::kBlank;
using detail::PretrainedVocabulary;
using detail::SpacePrefix;
using etude::detail::BytePairModel;
using etude::detail::PieceEncoder;

void check(const PretrainedVocabulary& v) {
  const size_t count = v.tokens.size() + v.added.size();
  const auto check_id = [&](int64_t id, size_t end) {
    ETUDE_CHECK(id >= 0 && static_cast<size_t>(id) < end, v.source, ": can't have a token ", id, " among ",
                count);
  };
  const auto check_token = [&](const std::string& token) {
    ETUDE_CHECK(token.size() <= etude::detail::kMaxTokenBytes && etude::detail::is_utf8(token), v.source,
                ": has a token that is not UTF-8, or of more than 4096 bytes");
  };
  ETUDE_CHECK(!v.tokens.empty(), v.source, ": has no tokens");
  const bool scored = std::none_of(v.scores.begin(), v.scores.end(), [](float s) { return std::isnan(s); }) &&
                      (v.scores.empty() || v.scores.size() == v.tokens.size());
  ETUDE_CHECK(scored, v.source, ": has tokens without a score");
  for (const std::string& token : v.tokens) check_token(token);
  for (const AddedToken& token : v.added) {
    check_token(token.content);
    check_id(token.id, 2 * count + 1024);
  }
  for (const auto& id : {v.unknown, v.begin, v.end})
    check_id(id.value_or(0), static_cast<size_t>(v.vocab_size()));
  for (const auto& ids : {v.before, v.after})
    for (const int64_t id : ids) check_id(id, static_cast<size_t>(v.vocab_size()));
}

}  // namespace

struct PretrainedTokenizer::Model {
  PretrainedVocabulary vocabulary;
  std::vector<std::string> texts;                     // by id, what decode() gives
  std::vector<bool> special;                          // by id
  std::unordered_map<std::string_view, int64_t> ids;  // by token
  BytePairModel pieces;
  detail::AddedTokens added, added_after;  // in texts, and in normalized ones

  explicit Model(PretrainedVocabulary v) : vocabulary(std::move(v)) {
    check(vocabulary);
    const auto size = static_cast<size_t>(vocabulary.vocab_size());
    texts.resize(size);
    special.resize(size);
    for (size_t id = 0; id < vocabulary.tokens.size(); ++id) add(vocabulary.tokens[id], id);
    std::map<std::string, AddedToken, std::less<>> raw, after;
    for (const AddedToken& token : vocabulary.added) {
      const bool has_prefix = vocabulary.prefix == SpacePrefix::kEachPart;
      add(token.content, static_cast<size_t>(token.id));
      special[static_cast<size_t>(token.id)] = token.special;
      (token.normalized ? after[normalized(token.content, has_prefix)] : raw[token.content]) = token;
    }
    added = detail::AddedTokens(std::move(raw));
    added_after = detail::AddedTokens(std::move(after));
    make_pieces();
  }

  void add(const std::string& token, size_t id) {
    if (token.empty()) return;
    const auto known = ids.emplace(token, id).first;
    ETUDE_CHECK(known->second == static_cast<int64_t>(id), vocabulary.source, ": has the token \"", token,
                "\" twice, as ", known->second, " and as ", id);
    const int byte = detail::byte_of_token(token);
    texts[id] = vocabulary.byte_level ? detail::from_byte_alphabet(token).value_or(token)
                : byte >= 0           ? std::string(1, static_cast<char>(byte))
                                      : detail::replaced(token, kBlank, " ");
  }

  void make_pieces() {
    const PretrainedVocabulary& v = vocabulary;
    pieces.pattern = v.pattern;
    pieces.of_characters = !v.byte_level;
    pieces.whole_pieces = v.ignore_merges;
    pieces.unknown = static_cast<int32_t>(v.unknown.value_or(-1));
    pieces.fuse_unknown = v.fuse_unknown;
    pieces.bytes.fill(-1);
    for (size_t id = 0; id < v.tokens.size(); ++id) {
      const std::string &token = v.tokens[id], &text = v.byte_level ? texts[id] : token;
      if (token.empty()) continue;
      const bool is_byte =
          v.byte_level ? text.size() == 1 : v.byte_fallback && detail::byte_of_token(token) >= 0;
      if (is_byte) pieces.bytes[static_cast<uint8_t>(texts[id][0])] = static_cast<int32_t>(id);
      if (!v.byte_level || v.ignore_merges) pieces.tokens.emplace(text, static_cast<int32_t>(id));
    }
    for (const auto& [pair, rule] : detail::ranked_merges(v)) pieces.rules[pair] = rule;
  }

  std::string normalized(std::string_view text, bool with_prefix) const {
    std::string out = vocabulary.form_c ? etude::detail::normalization_form_c(text) : std::string(text);
    if (!vocabulary.byte_level) out = detail::replaced(out, " ", kBlank);
    return (with_prefix ? kBlank : "") + out;
  }
};

PretrainedTokenizer::PretrainedTokenizer(PretrainedVocabulary vocabulary)
    : model_(std::make_shared<const Model>(std::move(vocabulary))) {}

std::vector<int64_t> PretrainedTokenizer::encoded(std::string_view text, bool specials) const {
  const PretrainedVocabulary& v = model_->vocabulary;
  std::deque<std::string> parts;  // which the encoder reads
  PieceEncoder encoder(model_->pieces);
  bool after_special = true;
  const auto found = [&](const AddedToken& token) {
    encoder.ids.push_back(token.id);
    after_special = token.special;
  };
  const auto ordinary = [&](size_t begin, size_t end) {
    const bool with_prefix = v.prefix == SpacePrefix::kEachPart ||
                             (v.prefix == SpacePrefix::kAfterSpecial && std::exchange(after_special, false));
    const std::string& part =
        parts.emplace_back(model_->normalized(text.substr(begin, end - begin), with_prefix));
    const std::string blank(v.byte_level ? " " : kBlank);
    const auto append = [&](size_t from, size_t to) {
      const std::string_view piece = std::string_view(part).substr(from, to - from);
      const bool wants_blank = v.prefix == SpacePrefix::kEachPartUnlessThere ||
                               (v.prefix == SpacePrefix::kTextUnlessThere && begin + from == 0);
      const bool has_blank = piece.substr(0, blank.size()) == blank;
      encoder.append(wants_blank && !has_blank ? parts.emplace_back(blank + std::string(piece)) : piece);
    };
    model_->added_after.split(part, specials, append, found);
  };
  model_->added.split(text, specials, ordinary, found);
  return std::move(encoder.ids);
}

std::vector<int64_t> PretrainedTokenizer::encode(std::string_view text) const { return encoded(text, true); }

std::vector<int64_t> PretrainedTokenizer::encode_ordinary(std::string_view text) const {
  return encoded(text, false);
}

std::vector<int64_t> PretrainedTokenizer::encode_prompt(std::string_view text) const {
  std::vector<int64_t> ids = vocabulary().before;
  for (const auto& more : {encode(text), vocabulary().after}) ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

std::string PretrainedTokenizer::decode(ArrayRef<int64_t> ids, bool skip_special_tokens) const {
  std::string text;
  for (const int64_t id : ids) {
    const std::string& token = detail::token_of(model_->texts, id);
    if (!skip_special_tokens || !model_->special[static_cast<size_t>(id)]) text += token;
  }
  if (vocabulary().strips_prefix && !text.empty() && text[0] == ' ') text.erase(0, 1);
  return text;
}

int64_t PretrainedTokenizer::vocab_size() const { return vocabulary().vocab_size(); }

std::optional<int64_t> PretrainedTokenizer::token_to_id(const std::string& token) const {
  const auto found = model_->ids.find(token);
  return found == model_->ids.end() ? std::nullopt : std::optional(found->second);
}

std::string PretrainedTokenizer::id_to_token(int64_t id) const {
  detail::token_of(model_->texts, id);
  return vocabulary().token(id);
}

std::optional<int64_t> PretrainedTokenizer::bos_token() const { return vocabulary().begin; }

std::optional<int64_t> PretrainedTokenizer::eos_token() const { return vocabulary().end; }

const PretrainedVocabulary& PretrainedTokenizer::vocabulary() const { return model_->vocabulary; }

PretrainedTokenizer PretrainedTokenizer::load(const std::string& path) {
  const auto tokenizer = load_tokenizer(path);
  const auto* const pretrained = dynamic_cast<const PretrainedTokenizer*>(tokenizer.get());
  ETUDE_CHECK(pretrained != nullptr, path, ": is a tokenizer of a kind of its own, not of another program",
              "\nhint: load_tokenizer() loads every kind");
  return *pretrained;
}

PretrainedTokenizer PretrainedTokenizer::from(const BytePairTokenizer& tokenizer) {
  return PretrainedTokenizer(tokenizer.pretrained());
}

PretrainedTokenizer PretrainedTokenizer::from(const CharacterTokenizer& tokenizer) {
  PretrainedVocabulary v;
  v.source = "CharacterTokenizer";
  v.byte_level = false;
  v.pattern = etude::detail::PiecePattern::kWhole;
  for (int64_t id = 0; id < tokenizer.vocab_size(); ++id)
    v.tokens.push_back(detail::replaced(tokenizer.decode({id}), " ", kBlank));
  return PretrainedTokenizer(std::move(v));
}

void PretrainedTokenizer::save(const std::string& path) const {
  const bool is_folder = std::filesystem::is_directory(path);
  detail::write_json(is_folder ? path + "/tokenizer.json" : path, detail::tokenizer_json(vocabulary()));
  if (!is_folder) return;
  nlohmann::json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                           {"clean_up_tokenization_spaces", false}};
  if (bos_token()) config["bos_token"] = id_to_token(*bos_token());
  if (eos_token()) config["eos_token"] = id_to_token(*eos_token());
  detail::write_json(path + "/tokenizer_config.json", config);
}

}  // namespace etude::text
