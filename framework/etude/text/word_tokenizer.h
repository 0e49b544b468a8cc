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
  /// The maximum number of words, including the unknown token; 0 for all.
  ETUDE_ARG(int64_t, vocab_size) = 0;
  /// Words that occur less often are left out.
  ETUDE_ARG(int64_t, min_count) = 1;
  /// Whether to convert the text to lower case.
  ETUDE_ARG(bool, lower_case) = false;
  /// The token for words outside the vocabulary; its id is 0.
  ETUDE_ARG(std::string, unknown_token) = "<unk>";
};

/// One token per word (a run of letters, numbers and accents) and per other character that is not blank. Ids
/// are ordered by decreasing frequency, equally frequent words by their characters. Blanks are lost.
class ETUDE_API WordTokenizer : public Tokenizer {
 public:
  /// Collects the words of a text. Throws ValueError for invalid options.
  static WordTokenizer train(std::string_view text, const WordTokenizerOptions& options = {});
  /// Throws Error with the path if the file is malformed or of another kind.
  static WordTokenizer load(const std::string& path);
  // Moving copies, so that no tokenizer is left without the unknown token.
  WordTokenizer(const WordTokenizer&) = default;
  WordTokenizer& operator=(const WordTokenizer&) = default;

  /// Words outside the vocabulary become 0, the unknown token.
  std::vector<int64_t> encode(std::string_view text) const override;
  /// Joins the words by blanks, except before .,;:!?)]} and after ([{.
  using Tokenizer::decode;
  std::string decode(ArrayRef<int64_t> ids) const override;
  int64_t vocab_size() const override { return static_cast<int64_t>(words_.size()); }
  void save(const std::string& path) const override;

 private:
  WordTokenizer(std::vector<std::string> words, bool lower_case);
  std::vector<std::string> words_;  // the unknown token comes first
  std::unordered_map<std::string, int64_t> ids_;
  bool lower_case_;
};

}  // namespace etude::text
