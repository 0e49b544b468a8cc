#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "etude/core/array_ref.h"
#include "etude/core/export.h"
#include "etude/core/generator.h"
#include "etude/core/tensor.h"
#include "etude/data/datasets/map.h"
#include "etude/data/example.h"
#include "etude/io/file_memory.h"
#include "etude/text/tokenizer.h"

namespace etude::data {

/// A text as one long sequence of token ids, in memory or in a file that may exceed memory. Copies share it.
class ETUDE_API Tokens {
 public:
  /// Ids in memory.
  explicit Tokens(std::vector<int64_t> ids);
  /// The ids of a 1-dim tensor of integers, in memory.
  explicit Tokens(const Tensor& ids);
  // Moving copies, so that no object has a size without ids.
  Tokens(const Tokens&) = default;
  Tokens& operator=(const Tokens&) = default;

  /// Opens a file of TokenWriter and reads only what is needed. A mapped file must not be changed or
  /// shortened; FileMemory can copy it instead. Throws Error with the path if the file is malformed.
  static Tokens open(const std::string& path, FileMemory memory = FileMemory::Mapped);
  /// The same for a file of bare ids, as NumPy's tofile() writes them: little-endian, 2 or 4 bytes each.
  static Tokens open_raw(const std::string& path, int64_t bytes_per_token,
                         FileMemory memory = FileMemory::Mapped);

  /// The number of tokens.
  int64_t size() const { return size_; }
  /// `count` ids from `begin`, int64. Throws IndexError outside of [0, size()], Error for an id outside the vocabulary.
  Tensor slice(int64_t begin, int64_t count) const;

  /// Windows at the places that torch.randint(size() - length, (batch_size,)) draws: data [batch_size, length],
  /// and as target the same shifted by one token. Throws ValueError unless there are more than `length` tokens.
  Example<> random_windows(int64_t batch_size, int64_t length, optional<Generator> generator = nullopt) const;
  /// The window that begins at `begin`: data [length], target [length].
  Example<> window(int64_t begin, int64_t length) const;

 private:
  Tokens(std::shared_ptr<const void> owner, const std::byte* ids, int64_t size, int64_t width);
  void read(int64_t begin, int64_t count, int64_t* to) const;

  std::shared_ptr<const void> owner_;
  const std::byte* ids_ = nullptr;
  int64_t size_ = 0, width_ = 0;  // bytes per id
  int64_t vocab_size_ = 0;        // 0 if unknown
  std::string path_;
};

/// Writes a file for Tokens::open and keeps only a small buffer in memory. Ids take 2 bytes each for
/// vocabularies of up to 65,536 tokens, else 4. The file appears under its name with commit(). A moved-from
/// writer throws on every call.
class ETUDE_API TokenWriter {
 public:
  TokenWriter(const std::string& path, int64_t vocab_size);
  ~TokenWriter();
  TokenWriter(TokenWriter&&) noexcept;
  TokenWriter& operator=(TokenWriter&&) noexcept;

  /// Throws IndexError for an id outside of the vocabulary.
  void write(ArrayRef<int64_t> ids);
  /// The number of tokens so far.
  int64_t size() const;
  void commit();

 private:
  struct Impl;
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

/// Encodes a text file into a file for Tokens::open part by part, so that neither has to fit into memory.
/// Parts end before a space or newline that does not follow white space. Returns the number of tokens.
ETUDE_API int64_t write_tokens(const std::string& path, const std::string& text_path,
                               const text::Tokenizer& tokenizer);

namespace datasets {

/// Consecutive windows of a text: example i begins at i * stride, where stride 0 stands for `length`. An
/// incomplete window at the end is dropped.
class ETUDE_API TokenWindows : public Dataset<TokenWindows> {
 public:
  TokenWindows(const Tokens& tokens, int64_t length, int64_t stride = 0);
  Example<> get(size_t index) override;
  optional<size_t> size() const override;

 private:
  Tokens tokens_;
  int64_t length_, stride_;
};

}  // namespace datasets
}  // namespace etude::data
