// What a user's program costs to compile: the umbrella header, preprocessed, stays within a budget of lines.

#include <doctest/doctest.h>
#include <stdio.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

/// The number of lines that the compiler sees when it compiles `program`.
long preprocessed_lines(const std::string& program) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "etude_header_budget.cpp";
  std::ofstream(file) << program;
  const std::string source_dir = ETUDE_SOURCE_DIR;
  const std::string command = std::string(ETUDE_CXX_COMPILER) + " -std=c++17 -E -I" + source_dir + "/framework -I" +
                              source_dir + "/layers " + file.string();
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  long lines = 0;
  std::array<char, 65536> block;
  while (const size_t n = fread(block.data(), 1, block.size(), pipe))
    for (size_t i = 0; i < n; ++i) lines += block[i] == '\n';
  REQUIRE(pclose(pipe) == 0);
  return lines;
}

TEST_CASE("a five-line program with etude/etude.h is less than 90,000 lines for the compiler") {
  const long lines = preprocessed_lines(
      "#include <etude/etude.h>\n"
      "int main() {\n"
      "  const auto x = etude::rand({2, 3});\n"
      "  etude::print(x);\n"
      "}\n");
  MESSAGE("preprocessed lines: ", lines);
  CHECK(lines > 10000);
  CHECK(lines < 90000);
}

}  // namespace
