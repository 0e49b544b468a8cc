#include "etude/text/detail/added_tokens.h"

#include <algorithm>

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::text::detail {
namespace {

using etude::detail::character_at;
using etude::detail::CharacterClass;
using etude::detail::class_of;

// The begin of the character that ends at `end`.
size_t character_before(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && end - begin < 4 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) --begin;
  return begin + character_at(text, begin).size == end ? begin : end - 1;
}

bool is_blank(std::string_view text, size_t at) {
  return class_of(character_at(text, at).code) == CharacterClass::kSpace;
}

bool is_word(std::string_view text, size_t at) {
  const CharacterClass kind = class_of(character_at(text, at).code);
  return text[at] == '_' || kind == CharacterClass::kLetter || kind == CharacterClass::kNumber ||
         kind == CharacterClass::kMark;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.pattern < b.pattern; });
  for (const Entry& e : entries_)
    if (!e.pattern.empty()) begins_[static_cast<uint8_t>(e.pattern[0])] = true;
}

const AddedTokens::Entry* AddedTokens::longest_at(std::string_view text, size_t at) const {
  const Entry* best = nullptr;
  auto first = entries_.begin(), last = entries_.end();  // those that agree with the text up to `size`
  for (size_t size = 0; first != last; ++size) {
    while (first != last && first->pattern.size() == size) best = &*first++;
    if (at + size == text.size()) break;
    const auto byte_of = [&](const Entry& e) { return static_cast<uint8_t>(e.pattern[size]); };
    const auto byte = static_cast<uint8_t>(text[at + size]);
    first = std::partition_point(first, last, [&](const Entry& e) { return byte_of(e) < byte; });
    last = std::partition_point(first, last, [&](const Entry& e) { return byte_of(e) == byte; });
  }
  return best;
}

std::pair<size_t, size_t> AddedTokens::extent(std::string_view text, size_t done, size_t place,
                                              const Entry& entry) {
  size_t begin = place, end = place + entry.pattern.size();
  const bool touched = (begin > 0 && is_word(text, character_before(text, begin))) ||
                       (end < text.size() && is_word(text, end));
  if (entry.token.single_word && touched) return {place, place};
  while (entry.token.lstrip && begin > done && is_blank(text, character_before(text, begin)))
    begin = character_before(text, begin);
  while (entry.token.rstrip && end < text.size() && is_blank(text, end)) end += character_at(text, end).size;
  return {begin, end};
}

}  // namespace etude::text::detail
