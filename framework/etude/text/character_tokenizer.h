#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "etude/text/tokenizer.h"

namespace etude::text {

/// One token per character (Unicode code point) of the training text, in the order of code points. A byte
/// that is not part of valid UTF-8 is a character of its own, after the others.
class ETUDE_API CharacterTokenizer : public Tokenizer {
 public:
  /// Collects the characters of a text.
  static CharacterTokenizer train(std::string_view text);
  /// Throws Error with the path if the file is malformed or of another kind.
  static CharacterTokenizer load(const std::string& path);

  /// Throws ValueError for a character that was not in the training text.
  std::vector<int64_t> encode(std::string_view text) const override;
  using Tokenizer::decode;
  std::string decode(ArrayRef<int64_t> ids) const override;
  int64_t vocab_size() const override { return static_cast<int64_t>(characters_.size()); }
  void save(const std::string& path) const override;

 private:
  explicit CharacterTokenizer(std::vector<uint32_t> characters);
  std::vector<uint32_t> characters_;  // sorted
  std::vector<int32_t> ids_;          // by character, -1 for any other
};

}  // namespace etude::text
