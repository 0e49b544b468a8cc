// One binary runs on every machine, and the bits of its results depend only on what docs/numerics.md lists, not on the
// compiler. No build flag may change that.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

bool ties_to_a_machine_or_loosens_arithmetic(const std::string& line) {
  static const std::regex comment("^\\s*#.*");
  static const std::regex flag(
      "(^|[^A-Za-z0-9_-])-(march=|mtune=|mcpu=|mavx|msse|mfma|Ofast|ffast-math|funsafe-math|fassociative-"
      "math|"
      "ffinite-math-only|freciprocal-math|ffp-contract=(fast|on))");
  return !std::regex_match(line, comment) && std::regex_search(line, flag);
}

bool belongs_to_the_build(const fs::path& file) {
  return file.filename() == "CMakeLists.txt" || file.filename() == "CMakePresets.json" ||
         file.extension() == ".cmake" || file.extension() == ".in";
}

TEST_CASE("a flag that ties the binary to a machine or loosens arithmetic is recognised") {
  CHECK(ties_to_a_machine_or_loosens_arithmetic("target_compile_options(etude PUBLIC -march=native)"));
  CHECK(ties_to_a_machine_or_loosens_arithmetic("  -O2;-ffast-math"));
  CHECK(ties_to_a_machine_or_loosens_arithmetic("\"CMAKE_CXX_FLAGS\": \"-mavx2\""));
  CHECK(ties_to_a_machine_or_loosens_arithmetic("-ffp-contract=fast"));
  CHECK_FALSE(ties_to_a_machine_or_loosens_arithmetic("-ffp-contract=off"));
  CHECK_FALSE(ties_to_a_machine_or_loosens_arithmetic("# There is no -march=native here."));
}

TEST_CASE("no build file of the repository sets such a flag") {
  int read = 0;
  std::string report;
  auto check = [&](const fs::path& file) {
    if (!belongs_to_the_build(file)) return;
    ++read;
    std::ifstream text(file);
    std::string line;
    while (std::getline(text, line))
      if (ties_to_a_machine_or_loosens_arithmetic(line)) report += file.string() + ": " + line + "\n";
  };
  for (const auto& entry : fs::directory_iterator(ETUDE_SOURCE_DIR)) check(entry.path());
  for (const char* folder : {"framework", "layers", "examples", "tutorials", "tests"}) {
    const fs::path top = fs::path(ETUDE_SOURCE_DIR) / folder;
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) check(entry.path());
  }
  CHECK(read >= 8);
  CHECK(report == "");
}

}  // namespace
