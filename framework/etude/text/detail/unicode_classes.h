#pragma once

#include <cstdint>

namespace etude::detail {

/// What kind of a character a code point is, by Unicode's general categories.
enum class CharacterClass : uint8_t {
  kOther,   // punctuation, symbols, what is not assigned and what is no code point
  kLetter,  // L*
  kNumber,  // N*
  kMark,    // M*, accents that follow a letter
  kSpace,   // White_Space
};

CharacterClass class_of(uint32_t code);

/// The small form of a letter, where it is one character; else the character itself.
uint32_t lower_case(uint32_t code);

}  // namespace etude::detail
