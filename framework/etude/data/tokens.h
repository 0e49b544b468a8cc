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

/// A text as one long row of ids of tokens, in a file that may be larger than memory or in memory. Copies share it.
class ETUDE_API Tokens {
 public:
  /// Ids in memory.
  explicit Tokens(std::vector<int64_t> ids);
  /// The ids of a 1-dim tensor of integers, in memory.
  explicit Tokens(const Tensor& ids);
  // A move copies: it leaves no size without ids.
  Tokens(const Tokens&) = default;
  Tokens& operator=(const Tokens&) = default;

  /// A file of TokenWriter, of which only what is needed is read. While it is mapped nobody may change or shorten it,
  /// or it is copied: see FileMemory. Throws Error, with the path in it, for a file that is malformed.
  static Tokens open(const std::string& path, FileMemory memory = FileMemory::Mapped);
  /// The same for a file of nothing but ids, as NumPy's tofile() writes them: little-endian, of 2 or 4 bytes each.
  static Tokens open_raw(const std::string& path, int64_t bytes_per_token,
                         FileMemory memory = FileMemory::Mapped);

  /// The number of tokens.
  int64_t size() const { return size_; }
  /// `count` ids from `begin` on, int64. Throws IndexError outside of [0, size()], Error for an id beyond the vocabulary.
  Tensor slice(int64_t begin, int64_t count) const;

  /// Windows at the places that torch.randint(size() - length, (batch_size,)) draws: data [batch_size, length], and as target
  /// the same one token later. Throws ValueError unless there are more than `length` tokens.
  Example<> random_windows(int64_t batch_size, int64_t length, optional<Generator> generator = nullopt) const;
  /// The window that begins at `begin`: data [length], target [length].
  Example<> window(int64_t begin, int64_t length) const;

 private:
  Tokens(std::shared_ptr<const void> owner, const std::byte* ids, int64_t size, int64_t width);
  void read(int64_t begin, int64_t count, int64_t* to) const;

  std::shared_ptr<const void> owner_;
  const std::byte* ids_ = nullptr;
  int64_t size_ = 0, width_ = 0;  // bytes per id
  int64_t vocab_size_ = 0;        // 0 if it is not known
  std::string path_;
};

/// Writes a file for Tokens::open, of which no more than a small buffer is in memory. Ids take 2 bytes each in
/// vocabularies of up to 65,536 tokens, else 4. The file appears under its name with commit().
/// One that was moved from refuses everything.
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

/// Encodes a text file into a file for Tokens::open, a part after the other: neither has to fit into memory. Parts end
/// in front of a blank that follows another character. Returns the number of tokens.
ETUDE_API int64_t write_tokens(const std::string& path, const std::string& text_path,
                               const text::Tokenizer& tokenizer);

namespace datasets {

/// The windows of a text one after the other: the example at index i begins at i * stride, 0 standing for a stride of
/// `length`. What is left at the end for less than a whole window is left out.
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
