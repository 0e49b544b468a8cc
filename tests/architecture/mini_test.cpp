// Mini stays readable in an evening: few files, few lines, and no includes but its own and the standard library.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

TEST_CASE("mini has at most eight files and 2,000 lines, which include one another in the order of reading") {
  const fs::path folder = ETUDE_SOURCE_DIR "/framework/mini";
  const std::regex include("#include [<\"]([^>\"]+)[>\"]");
  const std::set<std::string> order = {"autograd.h", "gpt.h",    "nn.h",     "ops.h",
                                       "print.h",    "random.h", "tensor.h", "views.h"};
  std::set<std::string> files;
  int64_t lines = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string file = entry.path().lexically_relative(folder).string();
    files.insert(file);
    CAPTURE(file);
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line); ++lines) {
      std::smatch found;
      if (!std::regex_search(line, found, include)) continue;
      const std::string name = found[1];
      CAPTURE(name);
      const bool is_standard = name.find('.') == std::string::npos && name.find('/') == std::string::npos;
      CHECK((is_standard || (name.rfind("mini/", 0) == 0 && order.count(name.substr(5)) == 1)));
    }
  }
  CHECK(files == order);
  CHECK(lines <= 2000);
  CHECK(lines > 0);
}

}  // namespace
