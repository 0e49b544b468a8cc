#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/export.h"
#include "etude/core/tensor.h"

namespace etude::text {

/// Converts text to token ids and back. All methods may be called from several threads at once.
class ETUDE_API Tokenizer {
 public:
  virtual ~Tokenizer();

  /// The tokenizer in a file of any kind, one of this library or of another program (PretrainedTokenizer), or in a
  /// folder of a model. Throws Error with the path if a file holds no tokenizer, is malformed, or needs a feature that is not
  /// supported.
  static std::unique_ptr<Tokenizer> from_file(const std::string& path);

  /// The token ids of a text, each at least 0 and below vocab_size().
  virtual std::vector<int64_t> encode(std::string_view text) const = 0;
  /// The text of ids. Throws IndexError for an id outside the vocabulary.
  virtual std::string decode(ArrayRef<int64_t> ids) const = 0;
  /// The text of a tensor of ids, integers of sizes [n], [1, n] or [], as nn::generate returns them.
  template <typename T, typename = std::enable_if_t<std::is_same_v<T, Tensor>>>
  std::string decode(const T& ids) const {  // a template, so that decode({0, 1}) is a list
    return decode_tensor(ids);
  }
  virtual int64_t vocab_size() const = 0;
  /// Writes the tokenizer as JSON for load_tokenizer(). The file appears under its name only when complete;
  /// if anything fails, a previous file stays unchanged.
  virtual void save(const std::string& path) const = 0;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;

 private:
  std::string decode_tensor(const Tensor& ids) const;
};

/// Decodes ids that come one by one, as a model generates them, and holds back the bytes of an incomplete character
/// (tokenizers' DecodeStream).
class ETUDE_API DecodeStream {
 public:
  /// The tokenizer must outlive this object.
  explicit DecodeStream(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}
  /// The text that this id completes; empty if there is none yet.
  std::string step(int64_t id);

 private:
  const Tokenizer& tokenizer_;
  std::vector<int64_t> ids_;  // those that the next text depends on
  size_t shown_ = 0;          // bytes of their text
};

/// The tokenizer in a file or in a folder of a model: Tokenizer::from_file.
ETUDE_API std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path);

}  // namespace etude::text
