// Replaces zip.cpp where libzip is absent.

#include "etude/core/error.h"
#include "etude/io/detail/zip.h"

namespace etude::detail {

[[noreturn]] static void refuse_without_libzip(const std::string& path) {
  throw Error(
      str(path,
          ": PyTorch's files are archives of zip, and this library was built without libzip\nhint: install "
          "libzip-dev (Debian, Ubuntu) and build it again"));
}

ZipReader::ZipReader(std::shared_ptr<const MappedFile> file) { refuse_without_libzip(file->path()); }
bool ZipReader::has(const std::string&) const { return false; }
std::shared_ptr<const MappedFile> ZipReader::read(const std::string&) { return nullptr; }

void write_zip(const std::string& path, const std::vector<ZipEntry>&, const WriteBytes&) {
  refuse_without_libzip(path);
}

}  // namespace etude::detail
