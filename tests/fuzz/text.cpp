#include <cstdlib>
#include <string_view>

#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/word_tokenizer.h"

// Tokenizers learn from any bytes, and decode the tokens of any bytes to these bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size), half = text.substr(0, size / 2);
  const auto pairs = etude::text::BytePairTokenizer::train(half, 300, {"<|end|>"});
  if (pairs.decode(pairs.encode(text)) != text) std::abort();
  if (pairs.decode(pairs.encode_ordinary(text)) != text) std::abort();
  const auto characters = etude::text::CharacterTokenizer::train(text);
  if (characters.decode(characters.encode(text)) != text) std::abort();
  const auto words = etude::text::WordTokenizer::train(half);
  words.decode(words.encode(text));
  return 0;
}
