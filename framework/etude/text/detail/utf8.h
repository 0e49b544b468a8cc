#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace etude::detail {

/// Stands for a byte that is not part of valid UTF-8: this number, beyond all code points, plus the byte.
constexpr uint32_t kInvalidByte = 0x110000;

struct Character {
  uint32_t code;  // a code point, or kInvalidByte + byte
  uint32_t size;  // in bytes
};

/// The character at `at`, which must be inside the text. Surrogates and overlong forms are invalid.
Character character_at(std::string_view text, size_t at);

/// Calls f(character, at) for the characters of a text.
template <typename F>
void for_each_character(std::string_view text, const F& f) {
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    f(c, at);
    at += c.size;
  }
}

/// Appends the bytes of a code from character_at().
void append_character(std::string& out, uint32_t code);

bool is_utf8(std::string_view text);

/// A character as messages name it: 'é' (U+00E9), U+000A, or the byte 0xff.
std::string described_character(uint32_t code);

}  // namespace etude::detail
