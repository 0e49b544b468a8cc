// The lines of Python in the lessons.

#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/files.h"

namespace {

/// The lines of Python in a lesson's commentary with a private name of PyTorch.
std::vector<std::string> private_names(const std::string& source) {
  static const std::regex name(R"(\b(torch|nn|F)(\.\w+)*\._[a-z]\w*)");
  std::vector<std::string> found;
  bool python = false;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("/// ```") != std::string::npos) python = line.find("/// ```python") != std::string::npos;
    if (python && std::regex_search(line, name)) found.push_back(line);
  }
  return found;
}

TEST_CASE("the lessons call nothing that is private in PyTorch") {
  int lessons = 0;
  for (const auto& entry : std::filesystem::directory_iterator(tutorials::source_file("tutorials"))) {
    if (entry.path().extension() != ".cpp") continue;
    ++lessons;
    CAPTURE(entry.path().string());
    for (const std::string& line : private_names(tutorials::read_file(entry.path()))) FAIL_CHECK(line);
  }
  CHECK(lessons > 10);
  CHECK(private_names("/// ```python\n/// F._attention(q)\n/// torch.nn.F._x\n/// self._x = F.x\n/// "
                      "```\n/// F._attention\n") ==
        std::vector<std::string>{"/// F._attention(q)", "/// torch.nn.F._x"});
}

}  // namespace
