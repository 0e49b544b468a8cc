// The file: the 8 bytes "etudetok", then little-endian the version (4 bytes), the bytes per id (4), the size of the
// vocabulary (8), and the ids.

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "etude/core/error.h"
#include "etude/data/detail/token_file.h"
#include "etude/data/tokens.h"
#include "etude/io/detail/file.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::data {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr size_t kPartBytes = size_t{1} << 20;

bool is_blank(uint32_t code) {
  return etude::detail::class_of(code) == etude::detail::CharacterClass::kSpace;
}

// Whether a blank ends at `end`.
bool ends_with_blank(std::string_view text, size_t end) {
  for (size_t size = 1; size <= std::min<size_t>(4, end); ++size) {
    const auto c = etude::detail::character_at(text.substr(0, end), end - size);
    if (c.size == size && c.code < etude::detail::kInvalidByte) return is_blank(c.code);
  }
  return false;
}

// Where a part that begins at `begin` ends: as far as possible at most kPartBytes on, else at the first place there is.
size_t part_end(std::string_view text, size_t begin) {
  const auto fits = [&](size_t end) {
    return (text[end] == ' ' || text[end] == '\n') && !ends_with_blank(text, end);
  };
  if (text.size() - begin <= kPartBytes) return text.size();
  for (size_t end = begin + kPartBytes; end > begin; --end)
    if (fits(end)) return end;
  size_t end = begin + kPartBytes + 1;
  while (end < text.size() && !fits(end)) ++end;
  return end;
}

}  // namespace

struct TokenWriter::Impl {
  Impl(const std::string& path, int64_t vocabulary)
      : file(path), vocab_size(vocabulary), width(vocabulary <= 65536 ? 2 : 4) {}
  void flush() {
    file.write(buffer.data(), buffer.size());
    buffer.clear();
  }
  etude::detail::FileWriter file;
  int64_t vocab_size;
  uint32_t width;
  int64_t size = 0;
  std::vector<std::byte> buffer;
};

TokenWriter::TokenWriter(const std::string& path, int64_t vocab_size) {
  ETUDE_CHECK_VALUE(vocab_size > 0 && vocab_size <= int64_t{1} << 32, "TokenWriter: a vocabulary of ",
                    vocab_size, " tokens can't be written");
  impl_ = std::make_unique<Impl>(path, vocab_size);
  detail::TokenFileHeader header;
  header.width = impl_->width;
  header.vocab_size = static_cast<uint64_t>(vocab_size);
  impl_->file.write(&header, sizeof header);
}
TokenWriter::~TokenWriter() = default;
TokenWriter::TokenWriter(TokenWriter&&) noexcept = default;
TokenWriter& TokenWriter::operator=(TokenWriter&&) noexcept = default;

TokenWriter::Impl& TokenWriter::impl() const {
  ETUDE_CHECK(impl_, "TokenWriter: it was moved from, and what it wrote belongs to another one now");
  return *impl_;
}

void TokenWriter::write(ArrayRef<int64_t> ids) {
  Impl& to = impl();
  for (const int64_t id : ids)
    ETUDE_CHECK_INDEX(id >= 0 && id < to.vocab_size, "TokenWriter: the id ", id,
                      " is outside of the vocabulary of ", to.vocab_size, " tokens");
  for (const int64_t id : ids) {
    const auto value = static_cast<uint32_t>(id);
    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
    to.buffer.insert(to.buffer.end(), bytes, bytes + to.width);
    if (to.buffer.size() >= kBufferBytes) to.flush();
  }
  to.size += static_cast<int64_t>(ids.size());
}

int64_t TokenWriter::size() const { return impl().size; }

void TokenWriter::commit() {
  impl().flush();
  impl().file.commit();
}

int64_t write_tokens(const std::string& path, const std::string& text_path,
                     const text::Tokenizer& tokenizer) {
  const auto file = etude::detail::MappedFile::open(text_path);
  const std::string_view text(reinterpret_cast<const char*>(file->data()), file->size());
  TokenWriter writer(path, tokenizer.vocab_size());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = part_end(text, begin);
    writer.write(tokenizer.encode(text.substr(begin, end - begin)));
    begin = end;
  }
  writer.commit();
  return writer.size();
}

}  // namespace etude::data
