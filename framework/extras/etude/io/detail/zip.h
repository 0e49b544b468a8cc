#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "etude/io/detail/file.h"
#include "etude/io/detail/safetensors.h"

struct zip;

namespace etude::detail {

/// A zip archive with all files in one folder, as PyTorch writes them. All errors are Errors with the path;
/// in a build without libzip every call throws.
class ZipReader {
 public:
  explicit ZipReader(std::shared_ptr<const MappedFile> file);

  const std::string& path() const { return file_->path(); }
  /// The name is relative to the folder.
  bool has(const std::string& name) const;
  /// The bytes of a file, with the checksum verified. Throws if all files read so far take more bytes than
  /// the archive has.
  std::shared_ptr<const MappedFile> read(const std::string& name);

 private:
  std::shared_ptr<const MappedFile> file_;
  std::shared_ptr<zip> archive_;
  std::string folder_;
  [[maybe_unused]] uint64_t left_ = 0;
};

/// A file to be written to an archive. It does not own its bytes.
struct ZipEntry {
  std::string name;
  const void* data;
  size_t size;
};

/// Writes the files to the folder archive/, uncompressed and without dates, with data at multiples of 64 bytes.
void write_zip(const std::string& path, const std::vector<ZipEntry>& entries, const WriteBytes& write);

}  // namespace etude::detail
