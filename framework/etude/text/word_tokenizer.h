#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "etude/nn/arg.h"
#include "etude/text/tokenizer.h"

namespace etude::text {

/// Options of WordTokenizer::train.
struct ETUDE_API WordTokenizerOptions {
  /// At most so many words, the unknown token counted; 0 for all.
  ETUDE_ARG(int64_t, vocab_size) = 0;
  /// Only words that occur so often.
  ETUDE_ARG(int64_t, min_count) = 1;
  /// Whether capital letters become small ones.
  ETUDE_ARG(bool, lower_case) = false;
  /// What stands for a word that is not in the vocabulary; has the id 0.
  ETUDE_ARG(std::string, unknown_token) = "<unk>";
};

/// One token per word (a run of letters, numbers and accents) and per character that is neither word nor blank. Ids
/// go from frequent words to rare ones, equally frequent ones in the order of their characters. Blanks are lost.
class ETUDE_API WordTokenizer : public Tokenizer {
 public:
  /// The words of a text. Throws ValueError for options that can't be.
  static WordTokenizer train(std::string_view text, const WordTokenizerOptions& options = {});
  /// Throws Error, with the path in it, for a file that is malformed or of another kind.
  static WordTokenizer load(const std::string& path);
  // A move copies: no tokenizer is without the unknown token.
  WordTokenizer(const WordTokenizer&) = default;
  WordTokenizer& operator=(const WordTokenizer&) = default;

  /// Words that are not in the vocabulary become 0, the unknown token.
  std::vector<int64_t> encode(std::string_view text) const override;
  /// The words with a blank between them, but none in front of .,;:!?)]} or behind ([{.
  using Tokenizer::decode;
  std::string decode(ArrayRef<int64_t> ids) const override;
  int64_t vocab_size() const override { return static_cast<int64_t>(words_.size()); }
  void save(const std::string& path) const override;

 private:
  WordTokenizer(std::vector<std::string> words, bool lower_case);
  std::vector<std::string> words_;  // the unknown token in front
  std::unordered_map<std::string, int64_t> ids_;
  bool lower_case_;
};

}  // namespace etude::text
