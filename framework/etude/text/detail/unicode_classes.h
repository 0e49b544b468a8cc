#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etude::detail {

/// The kind of a code point, by Unicode's general categories.
enum class CharacterClass : uint8_t {
  kOther,   // punctuation, symbols, unassigned and invalid code points
  kLetter,  // L*
  kNumber,  // N*
  kMark,    // M*, accents that follow a letter
  kSpace,   // White_Space
};

CharacterClass class_of(uint32_t code);
/// Whether there is White_Space at a place of a text.
bool is_blank(std::string_view text, size_t at);

/// Whether \w of regular expressions matches: Alphabetic, M*, Nd, Pc and Join_Control.
bool is_word_character(uint32_t code);

enum class LetterCase : uint8_t {
  kNone,   // Lo, Lm, and all that are no letters
  kUpper,  // Lu, Lt
  kLower,  // Ll
};

LetterCase case_of(uint32_t code);

/// The lower case of a letter, if it is one character; else the character itself.
uint32_t lower_case(uint32_t code);

/// The normalization form C, in which a letter and its accents are one character where there is one. It knows the
/// characters of Unicode 9, as the package tokenizers does.
std::string normalization_form_c(std::string_view text);

/// The numbers in a table that make_unicode_tables.py has made.
std::vector<uint32_t> unpacked(std::string_view table);
/// The values of all codes of character_at() from such a table of runs; each value is less than `values`.
std::vector<uint8_t> expanded(std::string_view runs, uint32_t values);
/// A number in such a table as a signed one.
int32_t signed_number(uint32_t number);

}  // namespace etude::detail
