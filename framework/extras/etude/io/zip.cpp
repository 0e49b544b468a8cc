// Zip archives through libzip. zip_disabled.cpp replaces this file where libzip is absent.

#include <zip.h>

#include "etude/core/error.h"
#include "etude/io/detail/zip.h"

namespace etude::detail {
namespace {

constexpr uint64_t kMostCompressed = 100;  // per byte in the archive: PyTorch compresses only source code
constexpr uint64_t kZipAlignment = 64;     // of the data in written files
constexpr uint64_t kLocalHeader = 30, kExtraHeader = 4;
constexpr uint16_t kPaddingId = 0x4246;  // PyTorch's id of the extra field for padding
constexpr uint16_t kFirstOf1980 = 0x21;

template <auto free>
struct Free {
  template <typename T>
  void operator()(T* p) const {
    free(p);
  }
};
using Source = std::unique_ptr<zip_source_t, Free<zip_source_free>>;
using Archive = std::unique_ptr<zip_t, Free<zip_discard>>;

struct ZipError : zip_error_t {
  ZipError() { zip_error_init(this); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(this); }
};

[[noreturn]] void refuse_zip(const std::string& path, const char* what, zip_error_t* error) {
  throw Error(str(path, ": ", what, ": ", zip_error_strerror(error)));
}

// The sizes and the compression of a file. Throws if reading it takes more memory than the archive justifies.
zip_stat_t checked_stat(const std::string& path, const std::string& name, zip_t* archive,
                        zip_uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat_index(archive, index, 0, &stat) != 0)
    refuse_zip(path, "is a damaged archive", zip_get_error(archive));
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  ETUDE_CHECK((stat.valid & needed) == needed, path, ": does not say how large its ", name, " is");
  ETUDE_CHECK(stat.encryption_method == ZIP_EM_NONE, path, ": its ", name, " is encrypted");
  const bool stored = stat.comp_method == ZIP_CM_STORE;
  ETUDE_CHECK(stored || stat.comp_method == ZIP_CM_DEFLATE, path, ": its ", name, " is compressed by method ",
              stat.comp_method, ", which is not read");
  ETUDE_CHECK(!stored || stat.size == stat.comp_size, path, ": its ", name, " has two sizes, ", stat.size,
              " and ", stat.comp_size);
  ETUDE_CHECK(stat.size / kMostCompressed <= stat.comp_size, path, ": its ", name, " of ", stat.size,
              " bytes is compressed to ", stat.comp_size, ", less than a hundredth");
  return stat;
}

// Adds a file with its data at a multiple of 64 bytes. Returns where the next file begins.
uint64_t add_entry(const std::string& path, zip_t* archive, const ZipEntry& entry, uint64_t begin) {
  const std::string name = "archive/" + entry.name;
  Source source(zip_source_buffer(archive, entry.data, entry.size, 0));
  const zip_int64_t index = source ? zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8) : -1;
  if (index < 0) refuse_zip(path, "cannot be written", zip_get_error(archive));
  (void)source.release();
  const auto i = static_cast<zip_uint64_t>(index);
  const uint64_t data = begin + kLocalHeader + name.size() + kExtraHeader;
  const std::string padding((kZipAlignment - data % kZipAlignment) % kZipAlignment, 'Z');
  const auto* const extra = reinterpret_cast<const zip_uint8_t*>(padding.data());
  if (zip_set_file_compression(archive, i, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, i, 0, kFirstOf1980, 0) != 0 ||
      zip_file_extra_field_set(archive, i, kPaddingId, ZIP_EXTRA_FIELD_NEW, extra,
                               static_cast<zip_uint16_t>(padding.size()), ZIP_FL_LOCAL) != 0)
    refuse_zip(path, "cannot be written", zip_get_error(archive));
  return data + padding.size() + entry.size;
}

}  // namespace

ZipReader::ZipReader(std::shared_ptr<const MappedFile> file) : file_(std::move(file)), left_(file_->size()) {
  ZipError error;
  Source source(zip_source_buffer_create(file_->data(), file_->size(), 0, &error));
  if (!source) refuse_zip(path(), "cannot be read", &error);
  Archive archive(zip_open_from_source(source.get(), ZIP_RDONLY, &error));
  if (!archive) refuse_zip(path(), "is not a zip archive, or a damaged one", &error);
  (void)source.release();  // the archive owns it now
  const char* const first = zip_get_name(archive.get(), 0, ZIP_FL_ENC_RAW);
  if (!first) refuse_zip(path(), "is an archive without files", zip_get_error(archive.get()));
  folder_ = first;
  folder_.resize(folder_.find('/') == std::string::npos ? 0 : folder_.find('/') + 1);
  archive_ = std::move(archive);
}

bool ZipReader::has(const std::string& name) const {
  return zip_name_locate(archive_.get(), (folder_ + name).c_str(), ZIP_FL_ENC_RAW) >= 0;
}

std::shared_ptr<const MappedFile> ZipReader::read(const std::string& name) {
  const zip_int64_t index = zip_name_locate(archive_.get(), (folder_ + name).c_str(), ZIP_FL_ENC_RAW);
  ETUDE_CHECK(index >= 0, path(), ": has no ", name);
  const auto stat = checked_stat(path(), name, archive_.get(), static_cast<zip_uint64_t>(index));
  ETUDE_CHECK(stat.comp_size <= left_, path(), ": its files are larger than itself");
  left_ -= stat.comp_size;

  const std::unique_ptr<zip_file_t, Free<zip_fclose>> opened(
      zip_fopen_index(archive_.get(), static_cast<zip_uint64_t>(index), 0));
  if (!opened) refuse_zip(path(), "cannot be read", zip_get_error(archive_.get()));
  auto bytes = MappedFile::in_memory(path(), stat.size);
  // Reads one byte more than there should be, because the checksum is verified at the end.
  std::byte more;
  for (size_t done = 0; done <= bytes->size();) {
    const bool at_end = done == bytes->size();
    const zip_int64_t count =
        zip_fread(opened.get(), at_end ? &more : bytes->data() + done, at_end ? 1 : bytes->size() - done);
    if (count < 0)
      refuse_zip(path(), str("its ", name, " is damaged").c_str(), zip_file_get_error(opened.get()));
    ETUDE_CHECK((count == 0) == at_end, path(), ": its ", name, " is ", at_end ? "longer" : "shorter",
                " than the ", bytes->size(), " bytes that it is said to have");
    if (at_end) break;
    done += static_cast<size_t>(count);
  }
  return bytes;
}

// The archive is made in memory first, because libzip seeks back to write checksums.
void write_zip(const std::string& path, const std::vector<ZipEntry>& entries, const WriteBytes& write) {
  ZipError error;
  const Source made(zip_source_buffer_create(nullptr, 0, 0, &error));
  if (!made) refuse_zip(path, "cannot be written", &error);
  Archive archive(zip_open_from_source(made.get(), ZIP_CREATE | ZIP_TRUNCATE, &error));
  if (!archive) refuse_zip(path, "cannot be written", &error);
  zip_source_keep(made.get());
  uint64_t end = 0;
  for (const ZipEntry& entry : entries) end = add_entry(path, archive.get(), entry, end);
  if (zip_close(archive.get()) != 0) refuse_zip(path, "cannot be written", zip_get_error(archive.get()));
  (void)archive.release();

  if (zip_source_open(made.get()) != 0) refuse_zip(path, "cannot be written", zip_source_error(made.get()));
  std::vector<char> piece(size_t{1} << 16);
  for (zip_int64_t count = 1; count > 0;) {
    count = zip_source_read(made.get(), piece.data(), piece.size());
    if (count < 0) refuse_zip(path, "cannot be written", zip_source_error(made.get()));
    write(piece.data(), static_cast<size_t>(count));
  }
  zip_source_close(made.get());
}

}  // namespace etude::detail
