// The pieces of GPT-2, which this expression matches:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

#include "etude/text/detail/byte_pairs.h"

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {
namespace {

constexpr std::string_view kContractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

struct Classified {
  CharacterClass kind;
  size_t end;
};

Classified classified(std::string_view text, size_t at) {
  const Character c = character_at(text, at);
  const CharacterClass kind = class_of(c.code);
  return {kind == CharacterClass::kMark ? CharacterClass::kOther : kind, at + c.size};
}

// Of blanks before other text, the last one belongs to that text.
size_t blanks_end(std::string_view text, size_t begin) {
  size_t end = begin, last = begin;
  while (end < text.size()) {
    const Classified c = classified(text, end);
    if (c.kind != CharacterClass::kSpace) return last == begin ? end : last;
    last = end;
    end = c.end;
  }
  return end;
}

}  // namespace

size_t piece_end(std::string_view text, size_t begin) {
  if (text[begin] == '\'')
    for (const std::string_view c : kContractions)
      if (text.compare(begin, c.size(), c) == 0) return begin + c.size();
  Classified c = classified(text, begin);
  if (text[begin] == ' ' && c.end < text.size()) c = classified(text, c.end);
  if (c.kind == CharacterClass::kSpace) return blanks_end(text, begin);
  size_t end = c.end;
  while (end < text.size()) {
    const Classified next = classified(text, end);
    if (next.kind != c.kind) break;
    end = next.end;
  }
  return end;
}

}  // namespace etude::detail
