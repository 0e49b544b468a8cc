// Files through POSIX: a private memory map for reading, and a writer that replaces a file as a whole.
// Windows has neither such maps nor folders that can be held open; its version is below.

#include "etude/io/detail/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef _WIN32
#include <io.h>
#include <malloc.h>
#else
#include <dirent.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string_view>
#include <system_error>
#include <utility>

#include "etude/core/error.h"

namespace etude::detail {
namespace {

[[noreturn]] void refuse(const std::string& path, const char* what, int number) {
  throw Error(str(path, ": ", what, ": ", std::generic_category().message(number)));
}

// Temporary files are named .etude_0123456789abcdef.
constexpr std::string_view kTemporary = ".etude_", kDigits = "0123456789abcdef";

std::string temporary_name() {
  std::random_device random;
  std::string name(kTemporary);
  for (int i = 0; i < 16; ++i) name += kDigits[random() % 16];
  return name;
}

}  // namespace

#ifndef _WIN32

namespace {

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

bool is_temporary_name(std::string_view name) {
  return name.size() == kTemporary.size() + 16 && name.substr(0, kTemporary.size()) == kTemporary &&
         name.find_first_not_of(kDigits, kTemporary.size()) == std::string_view::npos;
}

// The writer of a temporary file holds its lock, which ends with the process, however that ends. Returns
// false if the file is gone: another process removed it before it was locked.
bool lock(int file) {
  while (::flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status = {};
  return ::fstat(file, &status) != 0 || status.st_nlink > 0;
}

// Removes temporary files that no process writes: those of killed processes.
void remove_left_behind(int folder) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(again), ::closedir);
  if (!entries) {
    ::close(again);
    return;
  }
  while (const dirent* entry = ::readdir(entries.get())) {
    if (!is_temporary_name(entry->d_name)) continue;
    const Descriptor file{::openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    if (file.number >= 0 && ::flock(file.number, LOCK_EX | LOCK_NB) == 0)
      ::unlinkat(folder, entry->d_name, 0);
  }
}

void read_whole(const std::string& path, int file, std::byte* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = ::read(file, to, std::min(bytes, size_t{1} << 30));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(path, "cannot be read", errno);
    ETUDE_CHECK(count > 0, path, ": was shortened while it was read");
    to += count;
    bytes -= static_cast<size_t>(count);
  }
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, FileMemory memory) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) refuse(path, "cannot be opened", errno);
  struct stat status = {};
  if (::fstat(file.number, &status) != 0) refuse(path, "cannot be read", errno);
  ETUDE_CHECK(S_ISREG(status.st_mode), path, ": is not a regular file");
  const auto size = static_cast<size_t>(status.st_size);
  if (memory == FileMemory::Copied) {
    std::shared_ptr<const MappedFile> copy = in_memory(path, size);
    read_whole(path, file.number, copy->data(), size);
    return copy;
  }
  std::shared_ptr<MappedFile> map(new MappedFile(path));
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
    if (!real.empty()) target = real;  // replaces the target of a symbolic link
  }
  name_ = target.filename().string();
  ETUDE_CHECK(!name_.empty(), path_, ": is not the name of a file");
  const std::string folder = target.has_parent_path() ? target.parent_path().string() : ".";

  Descriptor opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (opened.number < 0) refuse(path_, "the folder cannot be opened", errno);
  remove_left_behind(opened.number);
  while (file_ < 0) {
    temporary_ = temporary_name();
    file_ = ::openat(opened.number, temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno != EEXIST) refuse(path_, "cannot be written", errno);
    if (file_ >= 0 && !lock(file_)) ::close(std::exchange(file_, -1));
  }
  // Permissions stay as they were; a file system without permissions loses nothing.
  if (replaces) (void)::fchmod(file_, old.st_mode & 0777);
  folder_ = std::exchange(opened.number, -1);
}

FileWriter::~FileWriter() {
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlinkat(folder_, temporary_.c_str(), 0);
  if (folder_ >= 0) ::close(folder_);
}

void FileWriter::commit() {
  if (::fsync(file_) != 0) refuse(path_, "cannot be written", errno);
  // Rename before close(), which releases the lock. After fsync(), close() has nothing left to write, so it cannot fail.
  if (::renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0)
    refuse(path_, "cannot be replaced", errno);
  temporary_.clear();
  ::close(std::exchange(file_, -1));
  // Some file systems cannot do this for a folder, and return EINVAL.
  if (::fsync(folder_) != 0 && errno != EINVAL)
    refuse(path_, "is written, but the folder is not on the disk", errno);
}

#else

// Reads the whole file into memory.
std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path, FileMemory) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) refuse(path, "cannot be opened", ENOENT);
  ETUDE_CHECK(kind == std::filesystem::file_type::regular, path, ": is not a regular file");
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) refuse(path, "cannot be opened", errno);
  const auto map = in_memory(path, static_cast<size_t>(file.tellg()));
  file.seekg(0);
  if (map->size_ > 0 &&
      !file.read(reinterpret_cast<char*>(map->data_), static_cast<std::streamsize>(map->size_)))
    refuse(path, "cannot be read", errno);
  return map;
}

std::shared_ptr<const MappedFile> MappedFile::in_memory(std::string name, size_t size) {
  constexpr size_t page = 4096;
  std::shared_ptr<MappedFile> map(new MappedFile(std::move(name)));
  if (size == 0) return map;
  map->data_ = static_cast<std::byte*>(::_aligned_malloc(size, page));
  if (!map->data_) refuse(map->path_, "is larger than memory", ENOMEM);
  std::memset(map->data_, 0, size);
  map->size_ = size;
  return map;
}

MappedFile::~MappedFile() { ::_aligned_free(data_); }

// Here both names are paths.
FileWriter::FileWriter(std::string path) : path_(std::move(path)), name_(path_) {
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) {
    ETUDE_CHECK(std::filesystem::is_regular_file(path_, ignored), path_, ": is not a regular file");
    if (::_access(path_.c_str(), W_OK) != 0) refuse(path_, "cannot be written", errno);
  }
  const std::filesystem::path target = path_;
  ETUDE_CHECK(target.has_filename(), path_, ": is not the name of a file");
  do {
    temporary_ = (target.parent_path() / temporary_name()).string();
    file_ = ::_open(temporary_.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) refuse(path_, "cannot be written", errno);
}

FileWriter::~FileWriter() {
  if (file_ >= 0) ::_close(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void FileWriter::commit() {
  if (::_commit(file_) != 0) refuse(path_, "cannot be written", errno);
  if (::_close(std::exchange(file_, -1)) != 0) refuse(path_, "cannot be written", errno);
  std::error_code error;
  std::filesystem::rename(temporary_, name_, error);  // replaces an existing file, as on POSIX
  if (error) throw Error(str(path_, ": cannot be replaced: ", error.message()));
  temporary_.clear();
}

#endif

// Windows has write(), too, with an unsigned count.
void FileWriter::write(const void* data, size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto written = ::write(file_, from, static_cast<unsigned>(std::min(bytes, size_t{1} << 30)));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path_, "cannot be written", errno);
    from += written;
    bytes -= static_cast<size_t>(written);
  }
}

}  // namespace etude::detail
