#include "etude/text/detail/added_tokens.h"

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text::detail {
namespace {

using etude::detail::character_at;
using etude::detail::is_blank;

// The beginning of the character that ends at `end`.
size_t character_before(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && end - begin < 4 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) --begin;
  return begin + character_at(text, begin).size == end ? begin : end - 1;
}

bool is_word(std::string_view text, size_t at) {
  return etude::detail::is_word_character(character_at(text, at).code);
}

}  // namespace

AddedTokens::AddedTokens(std::map<std::string, AddedToken, std::less<>> tokens) : tokens_(std::move(tokens)) {
  for (const auto& [text, token] : tokens_)
    if (!text.empty()) sizes_[static_cast<uint8_t>(text[0])].insert(text.size());
}

const AddedToken* AddedTokens::longest_at(std::string_view text, size_t at, size_t& size) const {
  for (const size_t known : sizes_[static_cast<uint8_t>(text[at])]) {
    const auto token = known <= text.size() - at ? tokens_.find(text.substr(at, known)) : tokens_.end();
    if (token == tokens_.end()) continue;
    size = known;
    return &token->second;
  }
  size = 1;
  return nullptr;
}

std::pair<size_t, size_t> AddedTokens::extent(std::string_view text, size_t done, size_t begin, size_t end,
                                              const AddedToken& token) {
  const bool touched = (begin > 0 && is_word(text, character_before(text, begin))) ||
                       (end < text.size() && is_word(text, end));
  if (token.single_word && touched) return {begin, begin};
  while (token.lstrip && begin > done && is_blank(text, character_before(text, begin)))
    begin = character_before(text, begin);
  while (token.rstrip && end < text.size() && is_blank(text, end)) end += character_at(text, end).size;
  return {begin, end};
}

}  // namespace etude::text::detail
