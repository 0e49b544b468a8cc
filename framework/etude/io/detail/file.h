#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "etude/io/file_memory.h"

namespace etude::detail {

/// A file as memory. Writes to the memory do not reach the file. Shortening the file while it is mapped makes
/// the memory inaccessible; replacing the file, as FileWriter does, is safe.
class MappedFile {
 public:
  /// Throws Error with the path if the file cannot be read or is not a regular file.
  static std::shared_ptr<const MappedFile> open(const std::string& path,
                                                FileMemory memory = FileMemory::Mapped);
  /// Memory without a file: zeros for the caller to overwrite. `name` stands for the path in errors.
  static std::shared_ptr<const MappedFile> in_memory(std::string name, size_t size);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  /// Begins at a page boundary; null for an empty file.
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  explicit MappedFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// Receives the next bytes of a file.
using WriteBytes = std::function<void(const void* data, size_t bytes)>;

/// Writes a file under a temporary name in its folder; commit() renames it. Without commit() a previous file
/// of this name stays unchanged. The next writer removes temporary files that killed processes left in the
/// folder. All errors are Errors with the path.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  /// Removes the temporary file unless it was committed.
  ~FileWriter();

  void write(const void* data, size_t bytes);
  WriteBytes sink() {
    return [this](const void* data, size_t bytes) { write(data, bytes); };
  }
  /// Returns when the file and its name are on disk.
  void commit();

 private:
  std::string path_;
  std::string name_;       // in the folder
  std::string temporary_;  // in the folder; empty if there is none
  int folder_ = -1;
  int file_ = -1;
};

}  // namespace etude::detail
