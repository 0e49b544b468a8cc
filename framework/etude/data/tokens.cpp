#include "etude/data/tokens.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "etude/core/error.h"
#include "etude/io/detail/file.h"
#include "etude/io/detail/foreign_file.h"
#include "etude/ops/ops.h"
#include "etude/text/detail/pretrained_vocabulary.h"
#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"
#include "etude/text/pretrained_tokenizer.h"

namespace etude::data {
namespace {

// The header of a TokenWriter file, all little-endian.
struct TokenFileHeader {
  char magic[8] = {'e', 't', 'u', 'd', 'e', 't', 'o', 'k'};
  uint32_t version = 1;
  uint32_t width = 0;       // bytes per id
  uint64_t vocab_size = 0;  // all ids are less than this
};
static_assert(sizeof(TokenFileHeader) == 24, "as it stands in files");

constexpr size_t kBufferBytes = size_t{1} << 16;
constexpr size_t kPartBytes = size_t{1} << 20;

// Whether the character that ends at `end` is a blank.
bool ends_with_blank(std::string_view text, size_t end) {
  for (size_t size = 1; size <= std::min<size_t>(4, end); ++size) {
    const auto c = etude::detail::character_at(text.substr(0, end), end - size);
    if (c.size == size && c.code < etude::detail::kInvalidByte)
      return etude::detail::class_of(c.code) == etude::detail::CharacterClass::kSpace;
  }
  return false;
}

// The end of a part that begins at `begin`: the last suitable place within kPartBytes, else the first one after that.
size_t part_end(std::string_view text, size_t begin) {
  const auto fits = [&](size_t end) { return text[end] == ' ' && !ends_with_blank(text, end); };
  if (text.size() - begin <= kPartBytes) return text.size();
  for (size_t end = begin + kPartBytes; end > begin; --end)
    if (fits(end)) return end;
  size_t end = begin + kPartBytes + 1;
  while (end < text.size() && !fits(end)) ++end;
  return end;
}

}  // namespace

Tokens::Tokens(std::shared_ptr<const void> owner, const std::byte* ids, int64_t size, int64_t width)
    : owner_(std::move(owner)), ids_(ids), size_(size), width_(width) {}

Tokens::Tokens(std::vector<int64_t> ids) : size_(static_cast<int64_t>(ids.size())), width_(8) {
  const auto kept = std::make_shared<const std::vector<int64_t>>(std::move(ids));
  ids_ = reinterpret_cast<const std::byte*>(kept->data());
  owner_ = kept;
}

Tokens::Tokens(const Tensor& ids) : width_(8) {
  ETUDE_CHECK_VALUE(ids.dim() == 1, "Tokens: ids of tokens are a tensor of 1 dim, but got one of ",
                    ids.dim());
  ETUDE_CHECK_TYPE(!ids.is_floating_point(), "Tokens: ids of tokens are integers, but got ",
                   ids.scalar_type());
  const auto kept = std::make_shared<const Tensor>(ids.to(kLong).contiguous());
  size_ = kept->numel();
  ids_ = static_cast<const std::byte*>(kept->data_ptr());
  owner_ = kept;
}

Tokens Tokens::open(const std::string& path, FileMemory memory) {
  const auto file = etude::detail::MappedFile::open(path, memory);
  TokenFileHeader header;
  const TokenFileHeader expected;
  etude::detail::check_not_foreign(*file, "file of tokens", "a file of tokens");
  ETUDE_CHECK(file->size() >= sizeof header, path, ": has ", file->size(),
              " bytes, too few for a file of tokens");
  std::memcpy(&header, file->data(), sizeof header);
  ETUDE_CHECK(
      std::memcmp(header.magic, expected.magic, sizeof header.magic) == 0, path,
      ": is not a file of tokens\nhint: write_tokens() writes one; open_raw() opens one without a header");
  ETUDE_CHECK(header.version == expected.version, path, ": is of version ", header.version,
              ", where 1 is known");
  const uint64_t most = header.width == 2 ? 65536 : uint64_t{1} << 32;
  ETUDE_CHECK((header.width == 2 || header.width == 4) && header.vocab_size > 0 && header.vocab_size <= most,
              path, ": has ", header.width, " bytes per id and a vocabulary of ", header.vocab_size,
              " tokens");
  const size_t bytes = file->size() - sizeof header;
  ETUDE_CHECK(bytes % header.width == 0, path, ": ends within an id");
  Tokens tokens(file, file->data() + sizeof header, static_cast<int64_t>(bytes / header.width), header.width);
  tokens.vocab_size_ = static_cast<int64_t>(header.vocab_size);
  tokens.path_ = path;
  return tokens;
}

Tokens Tokens::open_raw(const std::string& path, int64_t bytes_per_token, FileMemory memory) {
  ETUDE_CHECK_VALUE(bytes_per_token == 2 || bytes_per_token == 4, "open_raw: ids of ", bytes_per_token,
                    " bytes, but 2 or 4 can be");
  const auto file = etude::detail::MappedFile::open(path, memory);
  const auto* const kind = etude::detail::kind_of_foreign_file(file->text());
  if (kind && kind->magic.size() >= 4)  // fewer bytes may be ids
    etude::detail::check_not_foreign(*file, "file of bare ids");
  const auto bytes = static_cast<int64_t>(file->size());
  ETUDE_CHECK(bytes % bytes_per_token == 0, path, ": ends within an id");
  return {file, file->data(), bytes / bytes_per_token, bytes_per_token};
}

void Tokens::read(int64_t begin, int64_t count, int64_t* to) const {
  const std::byte* from = ids_ + begin * width_;
  if (count == 0) return;
  if (width_ == 2) std::copy_n(reinterpret_cast<const uint16_t*>(from), count, to);
  else if (width_ == 4) std::copy_n(reinterpret_cast<const uint32_t*>(from), count, to);
  else std::memcpy(to, from, static_cast<size_t>(count) * sizeof(int64_t));
  if (vocab_size_ == 0) return;
  const int64_t* const most = std::max_element(to, to + count);
  ETUDE_CHECK(*most < vocab_size_, path_, ": the id ", *most, " at ", begin + (most - to),
              " is outside of its vocabulary of ", vocab_size_, " tokens");
}

Tensor Tokens::slice(int64_t begin, int64_t count) const {
  ETUDE_CHECK_INDEX(begin >= 0 && count >= 0 && begin <= size_ && count <= size_ - begin,
                    "Tokens: there are no ", count, " tokens from ", begin, " on among ", size_);
  Tensor ids = empty({count}, kLong);
  read(begin, count, ids.data_ptr<int64_t>());
  return ids;
}

Example<> Tokens::window(int64_t begin, int64_t length) const {
  ETUDE_CHECK_VALUE(length > 0, "Tokens: a window of ", length, " tokens can't be");
  ETUDE_CHECK_INDEX(begin >= 0 && length < size_ && begin < size_ - length, "Tokens: there are no ", length,
                    " tokens and a target from ", begin, " on among ", size_);
  return {slice(begin, length), slice(begin + 1, length)};
}

Example<> Tokens::random_windows(int64_t batch_size, int64_t length, optional<Generator> generator) const {
  ETUDE_CHECK_VALUE(batch_size > 0 && length > 0, "random_windows: ", batch_size, " windows of ", length,
                    " tokens can't be");
  ETUDE_CHECK_VALUE(length < size_, "random_windows: windows of ", length,
                    " tokens need more than that many, but there are ", size_,
                    "\nhint: give a smaller length or a longer text");
  const Tensor places = randint(0, size_ - length, {batch_size}, std::move(generator));
  const Tensor data = empty({batch_size, length}, kLong), target = empty({batch_size, length}, kLong);
  for (int64_t i = 0; i < batch_size; ++i) {
    const int64_t begin = places.data_ptr<int64_t>()[i];
    read(begin, length, data.data_ptr<int64_t>() + i * length);
    read(begin + 1, length, target.data_ptr<int64_t>() + i * length);
  }
  return {data, target};
}

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
  bool committed = false;
  std::vector<std::byte> buffer;
};

TokenWriter::TokenWriter(const std::string& path, int64_t vocab_size) {
  ETUDE_CHECK_VALUE(vocab_size > 0 && vocab_size <= int64_t{1} << 32, "TokenWriter: a vocabulary of ",
                    vocab_size, " tokens can't be written");
  impl_ = std::make_unique<Impl>(path, vocab_size);
  TokenFileHeader header;
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
  ETUDE_CHECK(!to.committed, "TokenWriter: nothing is written after commit()");
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
  impl().committed = true;
}

int64_t write_tokens(const std::string& path, const std::string& text_path,
                     const text::Tokenizer& tokenizer) {
  const auto file = etude::detail::MappedFile::open(text_path);
  const std::string_view text = file->text();
  // A tokenizer that begins each text with a blank would put one before each part.
  const auto* pretrained = dynamic_cast<const text::PretrainedTokenizer*>(&tokenizer);
  const bool whole = pretrained && pretrained->vocabulary().prefix != text::detail::SpacePrefix::kNone;
  TokenWriter writer(path, tokenizer.vocab_size());
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = whole ? text.size() : part_end(text, begin);
    writer.write(tokenizer.encode(text.substr(begin, end - begin)));
    begin = end;
  }
  writer.commit();
  return writer.size();
}

namespace datasets {

TokenWindows::TokenWindows(const Tokens& tokens, int64_t length, int64_t stride)
    : tokens_(tokens), length_(length), stride_(stride == 0 ? length : stride) {
  ETUDE_CHECK_VALUE(length_ > 0 && stride_ > 0, "TokenWindows: windows of ", length_, " tokens, ", stride_,
                    " apart, can't be");
}

Example<> TokenWindows::get(size_t index) {
  ETUDE_CHECK_INDEX(index < *size(), "TokenWindows: there is no window ", index, " among ", *size());
  return tokens_.window(static_cast<int64_t>(index) * stride_, length_);
}

optional<size_t> TokenWindows::size() const {
  const int64_t places = tokens_.size() - length_;  // places where a window may begin
  return places <= 0 ? 0 : static_cast<size_t>((places - 1) / stride_ + 1);
}

}  // namespace datasets
}  // namespace etude::data
