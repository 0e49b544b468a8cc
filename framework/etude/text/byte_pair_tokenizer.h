#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "etude/text/tokenizer.h"

namespace etude::text {

/// Byte pair encoding on bytes, as GPT-2 has it: the ids 0 to 255 are bytes, each of those after them two tokens that
/// are often neighbours in a word, the last ones special tokens. Takes any bytes, and decodes to the same.
class ETUDE_API BytePairTokenizer : public Tokenizer {
 public:
  /// Learns from a text, in which special tokens separate. vocab_size counts bytes and special tokens too; the
  /// vocabulary is smaller when no pair of tokens occurs twice any more. Throws ValueError for a vocab_size
  /// that is too small, and for special tokens that are empty, equal, not UTF-8 or with blanks.
  static BytePairTokenizer train(std::string_view text, int64_t vocab_size,
                                 const std::vector<std::string>& special_tokens = {});
  /// Throws Error, with the path in it, for a file that is malformed or of another kind.
  static BytePairTokenizer load(const std::string& path);
  // A move copies: no tokenizer is without its vocabulary, which copies share.
  BytePairTokenizer(const BytePairTokenizer&) = default;
  BytePairTokenizer& operator=(const BytePairTokenizer&) = default;

  /// A special token in the text becomes its id.
  std::vector<int64_t> encode(std::string_view text) const override;
  /// A special token in the text is encoded as other text is: for text that somebody else has written.
  std::vector<int64_t> encode_ordinary(std::string_view text) const;
  using Tokenizer::decode;
  std::string decode(ArrayRef<int64_t> ids) const override;
  int64_t vocab_size() const override;
  /// The id of a special token; throws ValueError for one that it does not have.
  int64_t special_token(const std::string& token) const;
  void save(const std::string& path) const override;

 private:
  struct Vocabulary;
  explicit BytePairTokenizer(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace etude::text
