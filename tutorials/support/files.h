#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace tutorials {

/// A file or folder that is missing, unreadable, unwritable or not what it should be. Programs
/// end with exit code 3.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The bytes of a file. Throws FileError with the path and the reason.
std::string read_file(const std::filesystem::path& path);

/// Writes to a temporary name in the same folder and renames it, so that nobody ever sees half a
/// file. Throws FileError with the path and the reason.
void write_file(const std::filesystem::path& path, const std::string& bytes);

/// A file of the project's source tree, named relative to its root: where the program was
/// compiled or, if that place is gone, below the current folder.
std::filesystem::path source_file(const std::string& relative);

}  // namespace tutorials
