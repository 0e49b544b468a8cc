// The compile time of a user's program: the preprocessed umbrella header stays within a budget of lines.

#include <doctest/doctest.h>
#include <stdio.h>

#include <array>
#include <string>

namespace {

/// The number of lines that the compiler sees in a program that includes `header`.
long preprocessed_lines(const std::string& header) {
  const std::string source_dir = ETUDE_SOURCE_DIR;
  const std::string command = "echo '#include <" + header + ">' | " + ETUDE_CXX_COMPILER +
                              " -std=c++17 -E -I" + source_dir + "/framework -I" + source_dir +
                              "/framework/extras -I" + source_dir + "/layers -x c++ -";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  long lines = 0;
  std::array<char, 65536> block;
  while (const size_t n = fread(block.data(), 1, block.size(), pipe))
    for (size_t i = 0; i < n; ++i) lines += block[i] == '\n';
  REQUIRE(pclose(pipe) == 0);
  return lines;
}

TEST_CASE("a program that includes etude/etude.h is less than 90,000 lines for the compiler") {
  const long lines = preprocessed_lines("etude/etude.h");
  MESSAGE("preprocessed lines: ", lines);
  CHECK(lines > 10000);
  CHECK(lines < 90000);
}

}  // namespace
