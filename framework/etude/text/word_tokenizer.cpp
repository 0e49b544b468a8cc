#include "etude/text/word_tokenizer.h"

#include <algorithm>
#include <utility>

#include "etude/core/error.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

using etude::detail::CharacterClass;
using etude::detail::kInvalidByte;
using nlohmann::json;

constexpr char kWordKind[] = "word";
constexpr uint32_t kReplacement = 0xfffd;  // for bytes that are not UTF-8

bool is_word(CharacterClass kind) {
  return kind == CharacterClass::kLetter || kind == CharacterClass::kNumber || kind == CharacterClass::kMark;
}

// Calls f(word) for every word and every other character that is not blank.
template <typename F>
void for_each_word(std::string_view text, bool lower_case, const F& f) {
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) f(word);
    word.clear();
  };
  etude::detail::for_each_character(text, [&](etude::detail::Character c, size_t) {
    const CharacterClass kind = etude::detail::class_of(c.code);
    if (!is_word(kind)) finish_word();
    if (kind == CharacterClass::kSpace) return;
    const uint32_t code = c.code >= kInvalidByte ? kReplacement : c.code;
    etude::detail::append_character(word, lower_case ? etude::detail::lower_case(code) : code);
    if (!is_word(kind)) finish_word();
  });
  finish_word();
}

// Whether the word is a single character of the list.
bool is_one_of(const std::string& word, const char* list) {
  return word.size() == 1 && std::string_view(list).find(word[0]) != std::string_view::npos;
}

}  // namespace

WordTokenizer::WordTokenizer(std::vector<std::string> words, bool lower_case)
    : words_(std::move(words)), lower_case_(lower_case) {
  for (size_t i = 0; i < words_.size(); ++i) ids_.emplace(words_[i], static_cast<int64_t>(i));
}

WordTokenizer WordTokenizer::train(std::string_view text, const WordTokenizerOptions& options) {
  ETUDE_CHECK_VALUE(options.vocab_size() >= 0 && options.min_count() >= 0, "train: vocab_size ",
                    options.vocab_size(), " and min_count ", options.min_count(), " can't be less than 0");
  ETUDE_CHECK_VALUE(etude::detail::is_utf8(options.unknown_token()), "train: the unknown token is not UTF-8");
  std::unordered_map<std::string, int64_t> counts;
  for_each_word(text, options.lower_case(), [&](const std::string& word) { ++counts[word]; });
  counts.erase(options.unknown_token());
  std::vector<std::pair<int64_t, std::string>> order;  // by negated counts, the most frequent first
  for (const auto& [word, count] : counts)
    if (count >= options.min_count()) order.emplace_back(-count, word);
  std::sort(order.begin(), order.end());
  std::vector<std::string> words = {options.unknown_token()};
  for (auto& counted : order) {
    if (options.vocab_size() > 0 && static_cast<int64_t>(words.size()) >= options.vocab_size()) break;
    words.push_back(std::move(counted.second));
  }
  return {std::move(words), options.lower_case()};
}

WordTokenizer WordTokenizer::load(const std::string& path) {
  const json file = detail::read_tokenizer_file(path, kWordKind);
  const bool lower_case = detail::entry(path, file, "lower_case", &json::is_boolean);
  std::vector<std::string> words;
  for (const json& word : detail::entry(path, file, "words", &json::is_array)) {
    ETUDE_CHECK(word.is_string(), path, ": ", word.dump(), " among its \"words\" is not a text");
    words.push_back(word);
  }
  ETUDE_CHECK(!words.empty(), path, ": has no words, where the first one is the unknown token");
  WordTokenizer tokenizer(std::move(words), lower_case);
  ETUDE_CHECK(tokenizer.ids_.size() == tokenizer.words_.size(), path, ": has one of its \"words\" twice");
  return tokenizer;
}

std::vector<int64_t> WordTokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  for_each_word(text, lower_case_, [&](const std::string& word) {
    const auto found = ids_.find(word);
    ids.push_back(found == ids_.end() ? 0 : found->second);
  });
  return ids;
}

std::string WordTokenizer::decode(ArrayRef<int64_t> ids) const {
  std::string text;
  bool opened = true;  // no blank follows
  for (const int64_t id : ids) {
    const std::string& word = detail::token_of(words_, id);
    if (!opened && !is_one_of(word, ".,;:!?)]}")) text += ' ';
    text += word;
    opened = is_one_of(word, "([{");
  }
  return text;
}

void WordTokenizer::save(const std::string& path) const {
  detail::write_tokenizer_file(path, kWordKind, {{"words", words_}, {"lower_case", lower_case_}});
}

}  // namespace etude::text
