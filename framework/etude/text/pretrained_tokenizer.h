#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "etude/core/ivalue.h"
#include "etude/core/ordered_dict.h"
#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/tokenizer.h"

namespace etude::text {

namespace detail {
struct PretrainedVocabulary;
/// Adds a tokenizer to the metadata of a GGUF file for a model with `vocab_size` tokens. Throws ValueError for one that
/// llama.cpp does not have.
ETUDE_API void add_gguf_vocabulary(OrderedDict<std::string, IValue>& metadata, const Tokenizer& tokenizer,
                                   int64_t vocab_size);
}  // namespace detail

/// A tokenizer with byte pairs that another program made: that of GPT-2, Llama, Qwen, Gemma and others. Its ids are those
/// of the packages tokenizers, tiktoken and sentencepiece, whose files it reads: tokenizer.json; vocab.json with
/// merges.txt; ranks of tiktoken; tokenizer.model (byte pairs only); tokenizer.bin of llama2.c; GGUF.
class ETUDE_API PretrainedTokenizer : public Tokenizer {
 public:
  /// Throws Error with the path if the file is malformed, of another kind, or needs a feature that is not supported.
  static PretrainedTokenizer load(const std::string& path);
  /// The same tokenizer in this form, to be saved for other programs.
  static PretrainedTokenizer from(const BytePairTokenizer& tokenizer);
  /// The same. Other programs leave out characters that are not in the vocabulary. Throws Error for a vocabulary with both a
  /// blank and U+2581, which stands for it, or with bytes that are not UTF-8.
  static PretrainedTokenizer from(const CharacterTokenizer& tokenizer);
  explicit PretrainedTokenizer(detail::PretrainedVocabulary vocabulary);
  // A move is a copy, so that no tokenizer is left without a vocabulary. Copies share it.
  PretrainedTokenizer(const PretrainedTokenizer&) = default;
  PretrainedTokenizer& operator=(const PretrainedTokenizer&) = default;

  /// Added and special tokens in the text become their ids; none is put before it. As tokenizers'
  /// encode(text, add_special_tokens=False).
  std::vector<int64_t> encode(std::string_view text) const override;
  /// Encodes special tokens in the text like other text: for text that you do not trust.
  std::vector<int64_t> encode_ordinary(std::string_view text) const;
  /// Adds the special tokens that belong around a text, mostly one that begins it: tokenizers' encode(text).
  std::vector<int64_t> encode_prompt(std::string_view text) const;
  using Tokenizer::decode;
  /// The bytes of the ids; an incomplete character is not replaced. An id without a token adds nothing.
  std::string decode(ArrayRef<int64_t> ids) const override { return decode(ids, false); }
  std::string decode(ArrayRef<int64_t> ids, bool skip_special_tokens) const;
  int64_t vocab_size() const override;

  /// The id of a token as the file writes it ("Ġthe", "▁the", "<s>"); none if there is no such token.
  std::optional<int64_t> token_to_id(const std::string& token) const;
  /// Throws IndexError for an id outside the vocabulary.
  std::string id_to_token(int64_t id) const;
  /// The tokens that begin and end a text, if the files say which these are.
  std::optional<int64_t> bos_token() const;
  std::optional<int64_t> eos_token() const;

  /// Writes tokenizer.json for the package tokenizers and for load_tokenizer(). For a folder also
  /// tokenizer_config.json, so that AutoTokenizer reads the folder.
  void save(const std::string& path) const override;
  const detail::PretrainedVocabulary& vocabulary() const;

 private:
  struct Model;
  std::vector<int64_t> encoded(std::string_view text, bool specials) const;
  std::shared_ptr<const Model> model_;
};

}  // namespace etude::text
