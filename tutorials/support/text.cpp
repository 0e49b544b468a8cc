#include "support/text.h"

#include <algorithm>

#include "support/files.h"

namespace tutorials {
namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;

struct Character {
  char32_t code;  // kInvalid if there is none
  size_t bytes;
};

/// The character at `at`, which is inside the text.
Character decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < bytes) return {kInvalid, 1};
  char32_t code = first & (0x7Fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {kInvalid, 1};
    code = (code << 6) | (byte(at + i) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {kInvalid, 1};
  return {code, bytes};
}

/// White space as Python's `\s` has it.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_word(char32_t c) {
  if (c < 0x80)
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           c == '_';
  if (c < 0xC0) return c == 0xAA || c == 0xB5 || c == 0xBA;
  return c <= 0x1FFF && c != 0xD7 && c != 0xF7 &&
         c != 0x1680;  // not the signs of multiplication and division
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == kInvalid; }

std::string hexadecimal(unsigned char byte) {
  const char* const digits = "0123456789abcdef";
  return std::string("0x") + digits[byte / 16] + digits[byte % 16];
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character c = decode(text, at);
    if (c.code == kInvalid) return at;
    at += c.bytes;
  }
  return std::string_view::npos;
}

std::string read_text(const std::filesystem::path& path) {
  std::string text = read_file(path);
  const size_t at = find_invalid_utf8(text);
  if (at != std::string_view::npos) {
    const auto line =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
    throw FileError(path.string() + " is not UTF-8: the byte " +
                    hexadecimal(static_cast<unsigned char>(text[at])) + " at offset " +
                    std::to_string(at) + " (line " + std::to_string(line) +
                    ") begins no character");
  }
  if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
  return text;
}

int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::vector<std::string_view> split_tokens(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    const Character first = decode(text, at);
    size_t end = at + first.bytes;
    if (is_word(first.code)) {
      for (Character next; end < text.size() && is_word((next = decode(text, end)).code);)
        end += next.bytes;
    }
    if (!is_space(first.code)) tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

std::string visible(std::string_view token) {
  std::string out;
  for (size_t at = 0; at < token.size();) {
    const Character c = decode(token, at);
    if (is_control(c.code)) out += "\xEF\xBF\xBD";
    else out += token.substr(at, c.bytes);
    at += c.bytes;
  }
  return out;
}

Vocabulary::Vocabulary(const std::vector<std::string_view>& tokens, size_t limit)
    : tokens_{"<unk>"} {
  for (const std::string_view token : tokens) {
    if (tokens_.size() > limit) break;
    if (ids_.emplace(token, size()).second) tokens_.push_back(token);
  }
}

int64_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? 0 : found->second;
}

}  // namespace tutorials
