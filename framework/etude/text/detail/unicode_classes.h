#pragma once

#include <cstdint>

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

enum class LetterCase : uint8_t {
  kNone,   // Lo, Lm, and what is no letter
  kUpper,  // Lu, Lt
  kLower,  // Ll
};

LetterCase case_of(uint32_t code);

/// The lower case of a letter, if it is one character; else the character itself.
uint32_t lower_case(uint32_t code);

}  // namespace etude::detail
