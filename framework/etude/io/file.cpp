// Files through POSIX: a private memory map to read, and a file that replaces another as a whole.

#include "etude/io/detail/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what, int number) {
  throw Error(str(path, ": ", what, ": ", std::generic_category().message(number)));
}

#ifdef MAP_NORESERVE
constexpr int kPrivate = MAP_PRIVATE | MAP_NORESERVE;  // a file may be larger than memory
#else
constexpr int kPrivate = MAP_PRIVATE;
#endif

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::string random_name() {
  static constexpr char digits[] = "0123456789abcdef";
  std::random_device random;
  std::string name = ".etude_";
  for (int i = 0; i < 16; ++i) name += digits[random() % 16];
  return name;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  // Without O_NONBLOCK a pipe would wait for somebody who writes.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) refuse(path, "cannot be opened", errno);
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) refuse(path, "cannot be read", errno);
  ETUDE_CHECK(S_ISREG(status.st_mode), path, ": is not a regular file");
  std::shared_ptr<MappedFile> map(new MappedFile(path));
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return map;
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kPrivate, file.number, 0);
  if (data == MAP_FAILED) refuse(path, "cannot be mapped into memory", errno);
  map->data_ = static_cast<std::byte*>(data);
  map->size_ = size;
  return map;
}

std::shared_ptr<const MappedFile> MappedFile::in_memory(std::string name, size_t size) {
  std::shared_ptr<MappedFile> map(new MappedFile(std::move(name)));
  if (size == 0) return map;
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, kPrivate | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) refuse(map->path_, "is larger than memory", errno);
  map->data_ = static_cast<std::byte*>(data);
  map->size_ = size;
  return map;
}

MappedFile::~MappedFile() {
  if (data_) ::munmap(data_, size_);
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)) {
  struct stat old = {};
  const bool replaces = ::stat(path_.c_str(), &old) == 0;
  std::filesystem::path target = path_;
  if (replaces) {
    ETUDE_CHECK(S_ISREG(old.st_mode), path_, ": is not a regular file");
    if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
      refuse(path_, "cannot be written", errno);
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(target, ignored);
    if (!real.empty()) target = real;  // what a symbolic link leads to is replaced, and not the link
  }
  name_ = target.filename().string();
  ETUDE_CHECK(!name_.empty(), path_, ": is not the name of a file");
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";

  Descriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.number < 0) refuse(path_, "the folder cannot be opened", errno);
  std::string temporary;
  do {
    temporary = random_name();
    file_ = ::openat(opened.number, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) refuse(path_, "cannot be written", errno);
  // Permissions stay as they were; where the file system has none, nothing is lost.
  if (replaces) (void)::fchmod(file_, old.st_mode & 0777);
  temporary_ = std::move(temporary);
  folder_ = std::exchange(opened.number, -1);
}

FileWriter::~FileWriter() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  if (folder_ >= 0) ::close(folder_);
}

void FileWriter::write(const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file_, from, std::min(bytes, size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path_, "cannot be written", errno);
    from += written;
    bytes -= static_cast<size_t>(written);
  }
}

void FileWriter::commit() {
  if (::fsync(file_) != 0) refuse(path_, "cannot be written", errno);
  if (::close(std::exchange(file_, -1)) != 0) refuse(path_, "cannot be written", errno);
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0)
    refuse(path_, "cannot be replaced", errno);
  temporary_.clear();
  // Some file systems can't do this for a folder, and say so.
  if (::fsync(folder_) != 0 && errno != EINVAL)
    refuse(path_, "is written, but the folder is not on the disk", errno);
}

}  // namespace etude::detail
