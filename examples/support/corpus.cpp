#include "support/corpus.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "tutorials/support/files.h"
#include "tutorials/support/text.h"

namespace examples {
namespace {

namespace fs = std::filesystem;

// The files in a folder, in the same order on every machine.
std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string project_text(const std::string& root) {
  const auto at = [&](const char* name) {
    return root.empty() ? tutorials::source_file(name) : fs::path(root) / name;
  };
  try {
    std::vector<fs::path> files = {at("README.md"), at("CONTRIBUTING.md")};
    const std::pair<const char*, const char*> folders[] = {
        {"layers/etude", ".h"}, {"docs", ".md"}, {"tutorials", ".cpp"}};
    for (const auto& [folder, extension] : folders)
      for (const fs::path& file : files_in(at(folder), extension)) files.push_back(file);
    std::string text;
    for (const fs::path& file : files) text += tutorials::read_text(file);
    return text;
  } catch (const std::exception& error) {  // from the file or from the file system
    throw tutorials::FileError(std::string(error.what()) +
                               "\nhint: the text is the project's documentation; run this in its folder, or "
                               "give a text with --text");
  }
}

}  // namespace examples
