// UTF-8 as RFC 3629 defines it:
//
//   0xxxxxxx                                       to U+007F
//   110xxxxx 10xxxxxx                              to U+07FF
//   1110xxxx 10xxxxxx 10xxxxxx                     to U+FFFF, without the surrogates
//   11110xxx 10xxxxxx 10xxxxxx 10xxxxxx            to U+10FFFF

#include <cstdio>

#include "etude/text/detail/utf8.h"

namespace etude::detail {

Character character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const uint32_t size = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
  const Character invalid = {kInvalidByte + first, 1};
  if (first < 0xc2 || first > 0xf4 || text.size() - at < size) return invalid;
  uint32_t code = first & (0x7fU >> size);
  for (uint32_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool too_long = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return too_long || surrogate || code >= kInvalidByte ? invalid : Character{code, size};
}

void append_character(std::string& out, uint32_t code) {
  if (code >= kInvalidByte || code < 0x80) {
    out += static_cast<char>(code);  // kInvalidByte ends in a zero byte
    return;
  }
  const uint32_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (uint32_t left = size; left-- > 0;)
    out += static_cast<char>((left + 1 == size ? 0xf00U >> size : 0x80U) | (code >> 6 * left & 0x3f));
}

bool is_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    if (c.code >= kInvalidByte) return false;
    at += c.size;
  }
  return true;
}

std::string described_character(uint32_t code) {
  char number[24];
  const bool is_byte = code >= kInvalidByte;
  std::snprintf(number, sizeof number, is_byte ? "the byte 0x%02x" : "U+%04X",
                is_byte ? code - kInvalidByte : code);
  const bool shown = !is_byte && code > 0x20 && (code < 0x7f || code > 0xa0);
  if (!shown) return number;
  std::string text = "'";
  append_character(text, code);
  return text + "' (" + number + ")";
}

}  // namespace etude::detail
