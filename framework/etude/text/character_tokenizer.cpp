// Ids are indices into the sorted list of all characters, as in Python's sorted(set(text)).

#include "etude/text/character_tokenizer.h"

#include <algorithm>
#include <utility>

#include "etude/core/error.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/detail/utf8.h"

namespace etude::text {
namespace {

using etude::detail::Character;
using etude::detail::for_each_character;
using etude::detail::kInvalidByte;
using nlohmann::json;

constexpr char kCharacterKind[] = "character";

}  // namespace

CharacterTokenizer::CharacterTokenizer(std::vector<uint32_t> characters)
    : characters_(std::move(characters)), ids_(characters_.empty() ? 0 : characters_.back() + 1, -1) {
  for (size_t i = 0; i < characters_.size(); ++i) ids_[characters_[i]] = static_cast<int32_t>(i);
}

CharacterTokenizer CharacterTokenizer::train(std::string_view text) {
  std::vector<bool> seen(kInvalidByte + 256);
  std::vector<uint32_t> characters;
  for_each_character(text, [&](Character c, size_t) { seen[c.code] = true; });
  for (uint32_t code = 0; code < seen.size(); ++code)
    if (seen[code]) characters.push_back(code);
  return CharacterTokenizer(std::move(characters));
}

CharacterTokenizer CharacterTokenizer::load(const std::string& path) {
  const json file = detail::read_tokenizer_file(path, kCharacterKind);
  const auto& text = detail::entry(path, file, "characters", &json::is_string).get_ref<const std::string&>();
  std::vector<uint32_t> characters;
  for_each_character(text, [&](Character c, size_t) { characters.push_back(c.code); });
  for (const json& byte : detail::entry(path, file, "bytes", &json::is_array)) {
    ETUDE_CHECK(byte.is_number_unsigned() && byte >= 0x80 && byte < 0x100, path, ": ", byte.dump(),
                " among its \"bytes\" is not an integer from 128 to 255");
    characters.push_back(kInvalidByte + byte.get<uint32_t>());
  }
  const auto wrong = std::adjacent_find(characters.begin(), characters.end(), std::greater_equal<>());
  ETUDE_CHECK(wrong == characters.end(), path, ": ", etude::detail::described_character(*wrong),
              " stands twice or in the wrong order");
  return CharacterTokenizer(std::move(characters));
}

std::vector<int64_t> CharacterTokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  ids.reserve(text.size());
  for_each_character(text, [&](Character c, size_t at) {
    const int32_t id = c.code < ids_.size() ? ids_[c.code] : -1;
    ETUDE_CHECK_VALUE(
        id >= 0, "encode: ", etude::detail::described_character(c.code), " at byte ", at, " is none of the ",
        characters_.size(),
        " characters of the vocabulary\nhint: train the tokenizer on a text that has it, or leave "
        "it out; a BytePairTokenizer takes any text");
    ids.push_back(id);
  });
  return ids;
}

std::string CharacterTokenizer::decode(ArrayRef<int64_t> ids) const {
  std::string text;
  text.reserve(ids.size());
  for (const int64_t id : ids) etude::detail::append_character(text, detail::token_of(characters_, id));
  return text;
}

void CharacterTokenizer::save(const std::string& path) const {
  std::string text;
  json bytes = json::array();
  for (const uint32_t code : characters_) {
    if (code < kInvalidByte) etude::detail::append_character(text, code);
    else bytes.push_back(code - kInvalidByte);
  }
  detail::write_tokenizer_file(path, kCharacterKind, {{"characters", text}, {"bytes", bytes}});
}

}  // namespace etude::text
