// Byte pairs that merge in a text.

#include <etude/etude.h>

#include <algorithm>
#include <map>

#include "controls.h"

namespace figures {

namespace {

// The number of bytes of the character that begins at position `at`; 0 if no valid character begins there.
size_t character_bytes(const std::string& bytes, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t head = byte(at);
  const size_t count = head < 0x80 ? 1 : head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : head >= 0xc0 ? 2 : 0;
  if (count == 0 || at + count > bytes.size()) return 0;
  for (size_t i = 1; i < count; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  return count;
}

// A visible form of a token: blanks and line ends as signs, incomplete characters as hexadecimal bytes.
std::string visible(const std::string& token) {
  static const char* const hexadecimal = "0123456789abcdef";
  std::string shown;
  for (size_t i = 0; i < token.size();) {
    const size_t count = character_bytes(token, i);
    const auto byte = static_cast<uint8_t>(token[i]);
    if (byte == ' ') {
      shown += "\u2423";
    } else if (byte == '\n') {
      shown += "\u21b5";
    } else if (count == 0 || byte < ' ') {
      shown += {'<', hexadecimal[byte >> 4], hexadecimal[byte & 15], '>'};
    } else {
      shown += token.substr(i, count);
    }
    i += std::max<size_t>(count, 1);
  }
  return shown;
}

}  // namespace

Answer byte_pairs(const Controls& controls) {
  const std::string text = controls.text("text", 1000);
  const int64_t merges = controls.whole("merges", 0, 200);
  const auto tokenizer = etude::text::BytePairTokenizer::train(text, 256 + merges);
  const std::vector<int64_t> ids = tokenizer.encode(text);
  Answer tokens = Answer::array(), learned = Answer::array();
  std::map<int64_t, int64_t> counts;
  for (const int64_t id : ids) {
    tokens.push_back({{"id", id}, {"text", visible(tokenizer.decode({id}))}});
    ++counts[id];
  }
  const int64_t made = tokenizer.vocab_size() - 256;
  std::string longest;
  for (int64_t id = 256; id < 256 + made; ++id) {
    const std::string token = tokenizer.decode({id});
    learned.push_back({{"id", id}, {"text", visible(token)}, {"count", counts[id]}});
    if (token.size() > longest.size()) longest = token;
  }
  std::string words = std::to_string(text.size()) + " bytes are " + std::to_string(ids.size()) +
                      " tokens after " + std::to_string(made) + (made == 1 ? " merge." : " merges.");
  if (made < merges) words += " Then no pair occurs twice any more.";
  if (!longest.empty()) words += " The longest token is \"" + visible(longest) + "\".";
  return {{"tokens", tokens}, {"learned", learned}, {"bytes", text.size()}, {"words", words}};
}

}  // namespace figures
