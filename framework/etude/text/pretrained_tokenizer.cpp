#include "etude/text/pretrained_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/text/detail/normalization.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/tokenizer_file.h"
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
  ETUDE_CHECK(!v.tokens.empty(), v.source, ": has no tokens");
  ETUDE_CHECK(v.scores.empty() || v.scores.size() == v.tokens.size(), v.source, ": has ", v.tokens.size(),
              " tokens and ", v.scores.size(), " scores");
  for (const float score : v.scores) ETUDE_CHECK(!std::isnan(score), v.source, ": has a score that is nan");
  const auto check_token = [&](const std::string& token, auto id) {
    ETUDE_CHECK(token.size() <= etude::detail::kMaxTokenBytes, v.source, ": token ", id,
                " is of more than 4096 bytes");
    ETUDE_CHECK(etude::detail::is_utf8(token), v.source, ": token ", id, " is not UTF-8");
  };
  for (size_t id = 0; id < v.tokens.size(); ++id) check_token(v.tokens[id], id);
  for (const AddedToken& t : v.added) check_token(t.content, t.id);
  const auto check_id = [&](int64_t id) {
    ETUDE_CHECK(id >= 0 && id < v.vocab_size(), v.source, ": has no token ", id);
  };
  for (const auto& id : {v.unknown, v.begin, v.end})
    if (id) check_id(*id);
  for (const int64_t id : v.before) check_id(id);
  for (const int64_t id : v.after) check_id(id);
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
    read_tokens();
    read_added();
    make_pieces();
  }
  void read_tokens();
  void read_added();
  void make_pieces();
  std::string text_of(const std::string& token) const;
  std::string normalized(std::string_view text, bool with_prefix) const;
};

std::string PretrainedTokenizer::Model::text_of(const std::string& token) const {
  if (vocabulary.byte_level) return detail::from_byte_alphabet(token).value_or(token);
  const int byte = detail::byte_of_token(token);
  return byte >= 0 ? std::string(1, static_cast<char>(byte)) : detail::replaced(token, kBlank, " ");
}

void PretrainedTokenizer::Model::read_tokens() {
  const auto& tokens = vocabulary.tokens;
  for (size_t id = 0; id < tokens.size(); ++id) {
    texts.push_back(text_of(tokens[id]));
    const bool is_new = tokens[id].empty() || ids.emplace(tokens[id], id).second;
    ETUDE_CHECK(is_new, vocabulary.source, ": has the token \"", tokens[id], "\" twice");
  }
}

void PretrainedTokenizer::Model::read_added() {
  const auto size = static_cast<size_t>(vocabulary.vocab_size());
  texts.resize(size);
  special.resize(size);
  std::vector<detail::AddedTokens::Entry> raw, after;
  for (const AddedToken& token : vocabulary.added) {
    const auto id = static_cast<size_t>(token.id);
    const auto [known, is_new] = ids.emplace(token.content, token.id);
    ETUDE_CHECK(is_new || known->second == token.id, vocabulary.source, ": has the token \"", token.content,
                "\" twice, as ", known->second, " and as ", token.id);
    texts[id] = text_of(token.content);
    special[id] = special[id] || token.special;
    if (token.normalized) after.push_back({normalized(token.content, true), token});
    else raw.push_back({token.content, token});
  }
  added = detail::AddedTokens(std::move(raw));
  added_after = detail::AddedTokens(std::move(after));
}

void PretrainedTokenizer::Model::make_pieces() {
  const PretrainedVocabulary& v = vocabulary;
  pieces.pattern = v.pattern;
  pieces.of_characters = !v.byte_level;
  pieces.whole_pieces = v.ignore_merges;
  pieces.fuse_unknown = v.fuse_unknown;
  if (v.unknown) pieces.unknown = static_cast<int32_t>(*v.unknown);
  pieces.bytes.fill(-1);
  for (size_t id = 0; id < v.tokens.size(); ++id) {
    const std::string& token = v.tokens[id];
    if (token.empty()) continue;
    const bool is_byte =
        v.byte_level ? texts[id].size() == 1 : v.byte_fallback && detail::byte_of_token(token) >= 0;
    if (is_byte) pieces.bytes[static_cast<uint8_t>(texts[id][0])] = static_cast<int32_t>(id);
    if (!v.byte_level || v.ignore_merges)
      pieces.tokens.emplace(v.byte_level ? texts[id] : token, static_cast<int32_t>(id));
  }
  for (const auto& [pair, rule] : detail::ranked_merges(v)) pieces.rules[pair] = rule;
}

std::string PretrainedTokenizer::Model::normalized(std::string_view text, bool with_prefix) const {
  std::string out = vocabulary.form_c ? etude::detail::normalization_form_c(text) : std::string(text);
  if (!vocabulary.byte_level) out = detail::replaced(out, " ", kBlank);
  if (with_prefix && vocabulary.prefix == SpacePrefix::kEachPart) out.insert(0, kBlank);
  return out;
}

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
  const auto wants_blank = [&](bool at_begin, std::string_view part, std::string_view blank) {
    const bool place = v.prefix == SpacePrefix::kEachPartUnlessThere ||
                       (v.prefix == SpacePrefix::kTextUnlessThere && at_begin);
    return place && part.substr(0, blank.size()) != blank;
  };
  const auto ordinary = [&](size_t begin, size_t end) {
    const bool with_prefix = v.prefix == SpacePrefix::kEachPart ||
                             (v.prefix == SpacePrefix::kAfterSpecial && std::exchange(after_special, false));
    const std::string& part =
        parts.emplace_back(model_->normalized(text.substr(begin, end - begin), with_prefix));
    model_->added_after.split(
        part, specials,
        [&](size_t from, size_t to) {
          std::string_view piece = std::string_view(part).substr(from, to - from);
          const std::string blank(v.byte_level ? " " : kBlank);
          if (wants_blank(begin + from == 0, piece, blank))
            piece = parts.emplace_back(blank + std::string(piece));
          encoder.append(piece);
        },
        found);
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

void PretrainedTokenizer::save(const std::string& path) const {
  const auto write = [](const std::string& name, const nlohmann::json& content) {
    const std::string text = content.dump() + "\n";
    etude::detail::FileWriter file(name);
    file.write(text.data(), text.size());
    file.commit();
  };
  if (!std::filesystem::is_directory(path)) return write(path, detail::tokenizer_json(vocabulary()));
  write(path + "/tokenizer.json", detail::tokenizer_json(vocabulary()));
  nlohmann::json config = {{"tokenizer_class", "PreTrainedTokenizerFast"},
                           {"clean_up_tokenization_spaces", false}};
  if (bos_token()) config["bos_token"] = id_to_token(*bos_token());
  if (eos_token()) config["eos_token"] = id_to_token(*eos_token());
  write(path + "/tokenizer_config.json", config);
}

}  // namespace etude::text
