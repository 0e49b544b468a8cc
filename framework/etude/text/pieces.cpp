#include <algorithm>
#include <string>

#include "etude/text/detail/byte_pairs.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {
namespace {

constexpr std::string_view kContractions[] = {"s", "t", "re", "ve", "m", "ll", "d"};

struct Classified {
  CharacterClass kind;  // an accent is kOther
  size_t end;
};

Classified classified(std::string_view text, size_t at) {
  const Character c = character_at(text, at);
  const CharacterClass kind = class_of(c.code);
  return {kind == CharacterClass::kMark ? CharacterClass::kOther : kind, at + c.size};
}

// The end of the characters of one kind, at most `most` of them.
size_t run_end(std::string_view text, size_t begin, CharacterClass kind, size_t most = SIZE_MAX) {
  size_t end = begin;
  for (; end < text.size() && most > 0; --most) {
    const Classified next = classified(text, end);
    if (next.kind != kind) break;
    end = next.end;
  }
  return end;
}

// The end of a run of blanks. The last blank before other text belongs to that text, but not to a digit that is a piece by itself.
size_t blanks_end(std::string_view text, size_t begin, bool single_digits) {
  size_t end = begin, last = begin;
  while (end < text.size()) {
    const Classified c = classified(text, end);
    const bool takes_blank = !single_digits || c.kind != CharacterClass::kNumber;
    if (c.kind != CharacterClass::kSpace) return last == begin || !takes_blank ? end : last;
    last = end;
    end = c.end;
  }
  return end;
}

// The end of a contraction such as 's; `begin` if there is none.
size_t contraction_end(std::string_view text, size_t begin, bool any_case) {
  if (begin == text.size() || text[begin] != '\'') return begin;
  const std::string_view rest = text.substr(begin + 1);
  if (any_case && rest.substr(0, 2) == "\u017f") return begin + 3;  // the long s
  for (const std::string_view c : kContractions) {
    std::string letters(rest.substr(0, c.size()));
    for (char& letter : letters)
      if (any_case) letter = static_cast<char>(letter | 0x20);
    if (letters == c) return begin + 1 + c.size();
  }
  return begin;
}

// The end of capital letters and the small letters after them; letters without case and accents count as both.
size_t cased_end(std::string_view text, size_t begin) {
  size_t end = begin, after_both = begin;
  const auto next = [&](LetterCase unwanted) {
    if (end == text.size()) return false;
    const Character c = character_at(text, end);
    const LetterCase letter_case = case_of(c.code);
    const CharacterClass kind = class_of(c.code);
    if (letter_case == unwanted || (kind != CharacterClass::kLetter && kind != CharacterClass::kMark))
      return false;
    end += c.size;
    if (letter_case == LetterCase::kNone) after_both = end;
    return true;
  };
  while (next(LetterCase::kLower)) continue;
  const size_t capitals = end;
  while (next(LetterCase::kUpper)) continue;
  return end > capitals || after_both == begin ? end : after_both;
}

// The differences between the regular expressions of GPT-2's successors.
struct Rules {
  bool contractions, cased_words;
  size_t digits;  // at most, in one piece
  const char* after_symbols;
  bool joins_last_blanks;
};

Rules rules_of(PiecePattern pattern) {
  const bool cased = pattern == PiecePattern::kO200k || pattern == PiecePattern::kTekken;
  const bool single_digits = pattern == PiecePattern::kQwen2 || pattern == PiecePattern::kTekken;
  return {pattern != PiecePattern::kTekken, cased, single_digits ? size_t{1} : size_t{3},
          cased ? "\r\n/" : "\r\n", pattern == PiecePattern::kCl100k};
}

// The end of a word, and of a symbol or blank before it; `begin` if there is none.
size_t word_end(std::string_view text, size_t begin, const Rules& rules) {
  const Character c = character_at(text, begin);
  const CharacterClass kind = class_of(c.code);
  const bool begins = kind == CharacterClass::kLetter || (rules.cased_words && kind == CharacterClass::kMark);
  if (!begins && (kind == CharacterClass::kNumber || c.code == '\r' || c.code == '\n')) return begin;
  const size_t letters = begins ? begin : begin + c.size;
  const size_t end =
      rules.cased_words ? cased_end(text, letters) : run_end(text, letters, CharacterClass::kLetter);
  if (end == letters) return begin;
  return rules.cased_words && rules.contractions ? contraction_end(text, end, true) : end;
}

size_t end_in_gpt2(std::string_view text, size_t begin, bool single_digits) {
  if (const size_t end = contraction_end(text, begin, false); end > begin) return end;
  Classified c = classified(text, begin);
  if (single_digits && c.kind == CharacterClass::kNumber) return c.end;
  if (text[begin] == ' ' && c.end < text.size()) {
    const Classified next = classified(text, c.end);
    if (!single_digits || next.kind != CharacterClass::kNumber) c = next;
  }
  return c.kind == CharacterClass::kSpace ? blanks_end(text, begin, single_digits)
                                          : run_end(text, c.end, c.kind);
}

}  // namespace

std::string expression_of(PiecePattern pattern) {
  if (pattern == PiecePattern::kGpt2)
    return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  const Rules rules = rules_of(pattern);
  const std::string contraction = R"((?i:'s|'t|'re|'ve|'m|'ll|'d))", first = R"([^\r\n\p{L}\p{N}]?)",
                    upper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])", lower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])",
                    behind = rules.contractions ? contraction + "?|" : "|";
  const std::string words = rules.cased_words ? first + upper + "*" + lower + "+" + behind + first + upper +
                                                    "+" + lower + "*" + behind
                                              : contraction + "|" + first + R"(\p{L}+|)";
  return words + (rules.digits == 1 ? R"(\p{N})" : R"(\p{N}{1,3})") + R"(| ?[^\s\p{L}\p{N}]+[\r\n)" +
         (rules.cased_words ? "/]*" : "]*") + (rules.joins_last_blanks ? R"(|\s+\z)" : "") +
         R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
}

size_t piece_end(std::string_view text, size_t begin, PiecePattern pattern) {
  if (pattern == PiecePattern::kWhole) return text.size();
  if (pattern == PiecePattern::kGpt2 || pattern == PiecePattern::kGpt2Digits)
    return end_in_gpt2(text, begin, pattern == PiecePattern::kGpt2Digits);
  const Rules rules = rules_of(pattern);
  if (rules.contractions && !rules.cased_words)
    if (const size_t end = contraction_end(text, begin, true); end > begin) return end;
  if (const size_t end = word_end(text, begin, rules); end > begin) return end;
  if (const size_t end = run_end(text, begin, CharacterClass::kNumber, rules.digits); end > begin) return end;
  const size_t symbols = begin + (text[begin] == ' '), after = run_end(text, symbols, CharacterClass::kOther);
  if (after > symbols) return std::min(text.find_first_not_of(rules.after_symbols, after), text.size());
  const size_t blanks = run_end(text, begin, CharacterClass::kSpace);
  if (blanks == text.size() && rules.joins_last_blanks) return blanks;
  const size_t line = text.substr(begin, blanks - begin).find_last_of("\r\n");
  return line != std::string_view::npos ? begin + line + 1 : blanks_end(text, begin, false);
}

}  // namespace etude::detail
