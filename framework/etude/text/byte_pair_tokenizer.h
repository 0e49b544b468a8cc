#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "etude/text/tokenizer.h"

namespace etude::text {

namespace detail {
struct PretrainedVocabulary;
}

/// Byte pair encoding on bytes, as in GPT-2: ids 0 to 255 are bytes, each id after them is a pair of tokens that are
/// often neighbours in a word, and the last ids are special tokens. Encodes any bytes, and decodes to the same bytes.
class ETUDE_API BytePairTokenizer : public Tokenizer {
 public:
  /// Learns from a text, which is split at special tokens. vocab_size includes bytes and special tokens; the
  /// vocabulary is smaller if learning runs out of pairs that occur twice. Throws ValueError if vocab_size is too
  /// small, and for special tokens that are empty, equal, not UTF-8 or contain blanks.
  static BytePairTokenizer train(std::string_view text, int64_t vocab_size,
                                 const std::vector<std::string>& special_tokens = {});
  /// Throws Error with the path if the file is malformed or of another kind.
  static BytePairTokenizer load(const std::string& path);
  // Moving copies, so that no tokenizer is left without its vocabulary, which copies share.
  BytePairTokenizer(const BytePairTokenizer&) = default;
  BytePairTokenizer& operator=(const BytePairTokenizer&) = default;

  /// Special tokens in the text become their ids.
  std::vector<int64_t> encode(std::string_view text) const override;
  /// Encodes special tokens in the text like other text: for text that you do not trust.
  std::vector<int64_t> encode_ordinary(std::string_view text) const;
  using Tokenizer::decode;
  std::string decode(ArrayRef<int64_t> ids) const override;
  int64_t vocab_size() const override;
  /// The id of a special token. Throws ValueError for an unknown one.
  int64_t special_token(const std::string& token) const;
  void save(const std::string& path) const override;
  /// For PretrainedTokenizer::from.
  detail::PretrainedVocabulary pretrained() const;

 private:
  struct Vocabulary;
  explicit BytePairTokenizer(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace etude::text
