#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "etude/io/file_memory.h"

namespace etude::detail {

/// A file as memory. What is written to the memory does not reach the file. A program that shortens the file while it is
/// mapped takes the memory away; one that replaces it, as FileWriter does, does not.
class MappedFile {
 public:
  /// Throws Error, with the path in it, for what can't be read or is no regular file.
  static std::shared_ptr<const MappedFile> open(const std::string& path,
                                                FileMemory memory = FileMemory::Mapped);
  /// Bytes that are no file: zeros, for the caller to write to. `name` stands for the path in errors.
  static std::shared_ptr<const MappedFile> in_memory(std::string name, size_t size);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  const std::string& path() const { return path_; }
  /// At the begin of a page; null for an empty file.
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  explicit MappedFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

/// Writes a file under a temporary name in its folder; commit() gives it its own name. Until then, and if it
/// never comes to that, the file that had this name is as it was. What a process left in the folder that was killed
/// while it wrote is removed by the next writer. Everything throws Error with the path in it.
class FileWriter {
 public:
  explicit FileWriter(std::string path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  /// Removes what has not been committed.
  ~FileWriter();

  void write(const void* data, size_t bytes);
  /// Returns when the file and its name are on the disk.
  void commit();

 private:
  std::string path_;
  std::string name_;       // in the folder
  std::string temporary_;  // in the folder; empty when there is none
  int folder_ = -1;
  int file_ = -1;
};

}  // namespace etude::detail
