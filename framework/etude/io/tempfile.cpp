#include "etude/io/tempfile.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "etude/core/error.h"

namespace etude {
namespace {

/// The path of a new file; mkstemp replaces its end.
std::string path_pattern(const std::string& name_prefix) {
  std::string folder = "/tmp";
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* path = std::getenv(variable)) {
      folder = path;
      break;
    }
  return folder + "/" + name_prefix + "XXXXXX";
}

}  // namespace

TempFile::TempFile(TempFile&& other) noexcept
    : fd(std::exchange(other.fd, -1)), name(std::exchange(other.name, {})) {}

TempFile& TempFile::operator=(TempFile&& other) noexcept {
  // `taken` removes the previous file.
  TempFile taken(std::move(other));
  std::swap(fd, taken.fd);
  std::swap(name, taken.name);
  return *this;
}

TempFile::~TempFile() {
  if (fd < 0) return;
  close(fd);  // first: Windows cannot remove an open file
  unlink(name.c_str());
}

optional<TempFile> try_make_tempfile(const std::string& name_prefix) {
  std::string path = path_pattern(name_prefix);
  const int fd = mkstemp(path.data());
  if (fd == -1) return nullopt;
  return TempFile(std::move(path), fd);
}

TempFile make_tempfile(const std::string& name_prefix) {
  auto file = try_make_tempfile(name_prefix);
  const int reason = errno;
  ETUDE_CHECK(file, "Error generating temporary file: ", std::strerror(reason),
              "\nreceived: ", path_pattern(name_prefix), "\nhint: TMPDIR names the folder");
  return std::move(*file);
}

}  // namespace etude
