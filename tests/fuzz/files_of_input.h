#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace etude {

/// Separates the files in an input: the file separator of ASCII, which JSON cannot contain.
constexpr char kFileSeparator = '\x1c';

/// An input as the files of a folder. One that begins as JSON is files with these names, one after another; an empty one is left
/// out. Any other input is a single file with the name `alone`.
class FilesOfInput {
 public:
  FilesOfInput(const uint8_t* data, size_t size, const std::vector<std::string>& names, const char* alone)
      : folder_(std::filesystem::temp_directory_path() / ("etude_fuzz_" + std::to_string(getpid()))),
        begins_as_json_(size > 0 && data[0] == '{') {
    std::filesystem::create_directories(folder_);
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    if (!begins_as_json_) write(alone, rest);
    for (size_t i = 0; begins_as_json_ && i < names.size(); ++i) {
      const size_t end = i + 1 < names.size() ? rest.find(kFileSeparator) : rest.npos;
      if (const std::string_view file = rest.substr(0, end); !file.empty()) write(names[i], file);
      rest.remove_prefix(end < rest.size() ? end + 1 : rest.size());
    }
  }
  FilesOfInput(const FilesOfInput&) = delete;
  FilesOfInput& operator=(const FilesOfInput&) = delete;
  ~FilesOfInput() { std::filesystem::remove_all(folder_); }

  bool begins_as_json() const { return begins_as_json_; }
  std::string path(const std::string& name = "") const { return (folder_ / name).string(); }

 private:
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    if (!file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())).flush()) std::abort();
  }

  std::filesystem::path folder_;
  bool begins_as_json_;
};

}  // namespace etude
