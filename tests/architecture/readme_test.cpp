// The README and the guides are correct: their program and build line are those of the install test, links have
// targets, and tables are well-formed.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/has.h"

namespace {

using etude::has;
namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

const fs::path root = ETUDE_SOURCE_DIR;

std::vector<fs::path> pages() {
  std::vector<fs::path> files = {root / "README.md", root / "CONTRIBUTING.md", root / "CHANGELOG.md",
                                 root / "SECURITY.md", root / "tests/README.md"};
  for (const auto& entry : fs::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  return files;
}

/// A page with the lines of its code blocks made empty.
std::string without_code(const std::string& page) {
  std::string prose;
  std::istringstream lines(page);
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_fence = line.rfind("```", 0) == 0;
    if (is_fence) in_code = !in_code;
    prose += (in_code || is_fence ? "" : line) + "\n";
  }
  return prose;
}

/// The number of bars in a line that separate cells: not bars in code and not \|.
int64_t bars(const std::string& line) {
  static const std::regex hidden("`[^`]*`|\\\\\\|");
  const std::string seen = std::regex_replace(line, hidden, "");
  return std::count(seen.begin(), seen.end(), '|');
}

/// The faults in the tables of a page, one per line: rows of cells without a header and a rule above, which are shown as
/// text with bars, and rows with more or fewer cells than their header.
std::string wrong_tables(const std::string& page) {
  static const std::regex rule("\\|( *:?-+:? *\\|)+");
  std::string wrong, header;
  std::istringstream lines(without_code(page));
  int number = 0, row = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("|", 0) != 0) {
      if (row == 1) wrong += "line " + std::to_string(number - 1) + ": a header without a rule\n";
      row = 0;
      continue;
    }
    const auto at = "line " + std::to_string(number) + ": ";
    if (++row == 1) header = line;
    else if (row == 2 && !std::regex_match(line, rule)) wrong += at + "no header and rule above\n";
    else if (bars(line) != bars(header)) wrong += at + "not as many cells as the header\n";
  }
  return wrong;
}

TEST_SUITE("readme") {
  TEST_CASE("the README's program and its output are those that the install test checks") {
    const std::string readme = read(root / "README.md");
    const std::string program = read(root / "tests/install/consumer/main.cpp");
    const std::string output = read(root / "tests/install/consumer/expected.txt");
    REQUIRE(program.size() > 100);
    REQUIRE(output.size() > 100);
    CHECK(has(readme, "```cpp\n" + program + "```\n"));
    CHECK(has(readme, "```text\n" + output + "```\n"));
  }

  TEST_CASE("the README compiles two programs, each with the line that a test takes from there") {
    std::vector<std::string> lines;
    std::istringstream readme(read(root / "README.md"));
    for (std::string line; std::getline(readme, line);)
      if (line.rfind("g++ ", 0) == 0) lines.push_back(line);
    REQUIRE(lines.size() == 2);
    CHECK(has(read(root / "examples/mini/train.cpp"), "//   " + lines[0] + "\n"));
    CHECK(has(read(root / "docs/mini.md"), "\n" + lines[0] + "\n"));
    CHECK(has(lines[1], " program.cpp -o program "));
    CHECK(has(read(root / "tests/install/run"), "grep '^g++ .*program\\.cpp' \"$here/../../README.md\""));
  }

  TEST_CASE("links and pictures of a page are there") {
    const std::regex link("\\]\\(([^)#]+)(#[^)]*)?\\)");
    int links = 0;
    for (const fs::path& page : pages()) {
      const std::string text = without_code(read(page));
      for (auto l = std::sregex_iterator(text.begin(), text.end(), link); l != std::sregex_iterator(); ++l) {
        const std::string target = (*l)[1];
        if (has(target, "://")) continue;
        ++links;
        CHECK_MESSAGE(fs::exists(page.parent_path() / target), page.filename().string(), " links to ",
                      target);
      }
    }
    CHECK(links > 50);
    const std::regex picture("!\\[[^\\]]+\\]\\(([^)]+)\\)");
    const std::string readme = read(root / "README.md");
    std::smatch found;
    REQUIRE(std::regex_search(readme, found, picture));
    CHECK(fs::file_size(root / found[1].str()) < 60000);
  }

  TEST_CASE("a table has a header and no gap, and its rows as many cells as that") {
    for (const fs::path& page : pages()) {
      CAPTURE(page);
      CHECK(wrong_tables(read(page)) == "");
    }
    CHECK(wrong_tables("| a | b |\n|---|---|\n| `|` | \\| |\n") == "");
    CHECK(wrong_tables("```\n| no table\n```\n") == "");
    CHECK(wrong_tables("| a |\n|---|\n| 1 |\n\n| 2 |\n| 3 |\n") == "line 6: no header and rule above\n");
    CHECK(wrong_tables("| a |\n|---|\n| 1 |\n\n| 2 |\n\n") == "line 5: a header without a rule\n");
    CHECK(wrong_tables("| a |\n|---|\n| 1 | 2 |\n") == "line 3: not as many cells as the header\n");
  }

  TEST_CASE("the README names every program and every command for them") {
    const std::string readme = read(root / "README.md");
    for (const std::string folder : {"tutorials", "examples"})
      for (const auto& entry : fs::directory_iterator(root / folder)) {
        const std::string file = folder + "/" + entry.path().filename().string();
        if (entry.path().extension() == ".cpp")
          CHECK_MESSAGE(has(readme, "\n| [" + entry.path().stem().string() + "](" + file + ") |"), file);
      }
    for (const char* command : {"tutorials/run ", "examples/run ", "docs/run ", "tests/run "})
      CHECK_MESSAGE(has(readme, std::string("\n") + command), command);
  }
}

}  // namespace
