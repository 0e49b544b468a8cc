#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/text/detail/added_tokens.h"
#include "etude/text/detail/byte_pairs.h"

namespace etude::text::detail {

constexpr char kBlank[] = "\u2581";  // stands for a blank in tokens that are not bytes

/// Types of tokens, as sentencepiece and GGUF files number them.
enum : uint8_t { kNormalToken = 1, kUnknownToken, kControlToken, kUserToken, kUnusedToken, kByteToken };

/// Where a blank is put before a text that is encoded.
enum class SpacePrefix : uint8_t {
  kNone,
  kEachPart,             // before each part between added tokens: Prepend of Llama 2
  kAfterSpecial,         // before the text, and each part after a special token: sentencepiece
  kEachPartUnlessThere,  // Metaspace "always", and add_prefix_space of ByteLevel
  kTextUnlessThere,      // Metaspace "first"
};

/// A tokenizer with byte pairs as a file of any format describes it: the content of PretrainedTokenizer.
struct PretrainedVocabulary {
  std::string source;  // the file, for messages
  /// By id, as tokenizer.json writes them; an id without a token is empty. With byte_level each character is a byte
  /// (byte_alphabet()); else U+2581 is a blank, and <0x0A> a byte.
  std::vector<std::string> tokens;
  /// The earliest first. If there are none, two tokens merge if together they are a token, and the token of the highest score
  /// is made first.
  std::vector<etude::detail::BytePair> merges;
  std::vector<float> scores;      // of each token
  std::vector<AddedToken> added;  // with ids in `tokens` or after them
  std::optional<int64_t> unknown, begin, end;
  std::vector<int64_t> before, after;  // the tokens that encode_prompt() puts around a text
  bool byte_level = true;
  etude::detail::PiecePattern pattern = etude::detail::PiecePattern::kGpt2;
  bool form_c = false;         // texts are normalized to the form C
  bool byte_fallback = false;  // characters without a token become bytes
  bool fuse_unknown = false;   // unknown characters that are neighbours become one token
  bool ignore_merges = false;  // a piece that is a token is not merged
  SpacePrefix prefix = SpacePrefix::kNone;
  bool strips_prefix = false;  // decode() removes one blank at the beginning

  int64_t vocab_size() const;
  /// The token of an id, added ones included; empty if there is none.
  std::string token(int64_t id) const;
};

/// Adds merges by the texts of their tokens.
class MergeReader {
 public:
  explicit MergeReader(PretrainedVocabulary& vocabulary);
  void add(const std::string& first, const std::string& second);
  /// "first second", as merges.txt and GGUF have it.
  void add(const std::string& both);

 private:
  PretrainedVocabulary& vocabulary_;
  std::unordered_map<std::string, int32_t> ids_;
};

/// The pairs that merge, the earliest first.
std::vector<std::pair<etude::detail::BytePair, etude::detail::MergeRule>> ranked_merges(
    const PretrainedVocabulary& vocabulary);

/// The byte that a token like <0x0A> stands for; -1 for others.
int byte_of_token(std::string_view token);

/// The text with `to` for each `from`.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

/// Bytes in GPT-2's alphabet: visible characters of Latin-1 stand for themselves, other bytes for U+0100 and so on.
std::string in_byte_alphabet(std::string_view bytes);
/// The bytes of a text in that alphabet; nothing if it has other characters.
std::optional<std::string> from_byte_alphabet(std::string_view text);

/// Puts a token at its id. Throws for an id that is taken, or far beyond `count`, the number of tokens.
void place_token(PretrainedVocabulary& vocabulary, size_t count, int64_t id, std::string token);

/// tokenizer.json of the package tokenizers. `file` is its content, `path` is for messages. Throws Error for a part
/// that is not known, with its text.
PretrainedVocabulary read_tokenizer_json(const std::string& path, const nlohmann::json& file);
nlohmann::json tokenizer_json(const PretrainedVocabulary& vocabulary);

/// The tokenizer of another program in a JSON file, with the files that belong to it in the same folder.
PretrainedVocabulary read_vocabulary(const std::string& path, const nlohmann::json& file);
/// The same for a file that is not JSON: merges, ranks of tiktoken, a model of sentencepiece, GGUF, llama2.c's.
PretrainedVocabulary read_vocabulary(const std::string& path);
/// A model of sentencepiece, of the type BPE.
PretrainedVocabulary read_sentencepiece(const std::string& path, std::string_view bytes);
/// The tokenizer in a GGUF file.
PretrainedVocabulary read_gguf_vocabulary(const std::string& path);

}  // namespace etude::text::detail
