#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace etude::detail {

/// What stands for a byte that is no part of UTF-8: this, which is beyond all code points, plus the byte.
constexpr uint32_t kInvalidByte = 0x110000;

struct Character {
  uint32_t code;  // a code point, or kInvalidByte + byte
  uint32_t size;  // in bytes
};

/// The character at `at`, which lies inside the text. Surrogates and forms that are longer than needed are invalid.
Character character_at(std::string_view text, size_t at);

/// Appends the bytes of what character_at() gives as code.
void append_character(std::string& out, uint32_t code);

bool is_utf8(std::string_view text);

/// How a message names a character: 'é' (U+00E9), U+000A, or the byte 0xff.
std::string described_character(uint32_t code);

}  // namespace etude::detail
