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

/// An archive of zip whose files all lie in one folder, as PyTorch writes them. Everything throws Error with the path in it;
/// where the library was built without libzip, everything is refused.
class ZipReader {
 public:
  explicit ZipReader(std::shared_ptr<const MappedFile> file);
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;
  ~ZipReader();

  const std::string& path() const { return file_->path(); }
  /// The name is that below the folder.
  bool has(const std::string& name) const;
  /// The bytes of a file, whose checksum has been compared. All that is read together takes no more bytes of the archive
  /// than it has.
  std::shared_ptr<const MappedFile> read(const std::string& name);

 private:
  std::shared_ptr<const MappedFile> file_;
  [[maybe_unused]] zip* archive_ = nullptr;
  std::string folder_;
  [[maybe_unused]] uint64_t left_ = 0;
};

/// A file of an archive to be written: somebody else's bytes under a name.
struct ZipEntry {
  std::string name;
  const void* data;
  size_t size;
};

/// Writes the files of the folder archive/, neither compressed nor dated, their data at multiples of 64 bytes.
void write_zip(const std::string& path, const std::vector<ZipEntry>& entries, const WriteBytes& write);

}  // namespace etude::detail
