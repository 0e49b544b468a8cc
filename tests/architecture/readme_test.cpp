// The README shows a program and what it prints: it is the program that the install test builds and compares.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

const fs::path root = ETUDE_SOURCE_DIR;

TEST_CASE("the README's program and its output are those that the install test checks") {
  const std::string readme = read(root / "README.md");
  const std::string program = read(root / "tests/install/consumer/main.cpp");
  const std::string output = read(root / "tests/install/consumer/expected.txt");
  REQUIRE(program.size() > 100);
  REQUIRE(output.size() > 100);
  CHECK(readme.find("```cpp\n" + program + "```\n") != std::string::npos);
  CHECK(readme.find("```text\n" + output + "```\n") != std::string::npos);
}

TEST_CASE("links between files of the repository lead somewhere") {
  const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
  int links = 0;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    const std::string text = read(root / name);
    for (auto l = std::sregex_iterator(text.begin(), text.end(), link); l != std::sregex_iterator(); ++l) {
      const std::string target = (*l)[1];
      if (target.find("://") != std::string::npos) continue;
      ++links;
      CHECK_MESSAGE(fs::exists(root / target), name, " links to ", target);
    }
  }
  CHECK(links > 10);
}

}  // namespace
