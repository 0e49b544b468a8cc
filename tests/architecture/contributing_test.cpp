// CONTRIBUTING.md says of the build what CMakeLists.txt and CMakePresets.json do.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/has.h"

TEST_SUITE("contributing") {
  namespace {

  using etude::has;

  std::string file_of_repository(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(ETUDE_SOURCE_DIR "/" + path).rdbuf();
    REQUIRE_MESSAGE(!text.str().empty(), path);
    return text.str();
  }

  /// The first group of the only match.
  std::string the_match(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::smatch found;
    REQUIRE_MESSAGE(std::regex_search(text, found, expression), pattern);
    const std::string group = found[1], rest = found.suffix();
    CHECK_MESSAGE(!std::regex_search(rest, expression), pattern);
    return group;
  }

  std::set<std::string> matches(const std::string& text, const std::string& pattern) {
    const std::regex expression(pattern);
    std::set<std::string> groups;
    for (auto m = std::sregex_iterator(text.begin(), text.end(), expression); m != std::sregex_iterator();
         ++m)
      groups.insert((*m)[1]);
    return groups;
  }

  }  // namespace

  TEST_CASE("the flags of the three groups of sources are those of CMakeLists.txt") {
    const std::string build = file_of_repository("CMakeLists.txt"),
                      page = file_of_repository("CONTRIBUTING.md");
    const std::string callers = the_match(build, R"(_callers PRIVATE\s+"\$<\$<CONFIG:Release>:([^"]*)>")");
    const std::string gcc = the_match(callers, "CXX_COMPILER_ID:GNU>:(-O\\w+)>");
    const std::string clang = the_match(callers, "CXX_COMPILER_ID:Clang,AppleClang>:(-O\\w+)>");
    CHECK(has(page, " | `" + gcc + "` | `" + clang + "` |\n"));

    std::string ops = the_match(
        build, R"(_ops PRIVATE\s+"\$<\$<AND:\$<CXX_COMPILER_ID:GNU>,\$<CONFIG:Release>>:([^>]*)>")");
    ops = std::regex_replace(ops, std::regex(";"), " ");
    CHECK(has(page, " | `" + ops + "` | `-O3` |\n"));

    // The third group has CMake's own flags of a release build.
    CHECK_FALSE(has(build, "CMAKE_CXX_FLAGS_RELEASE"));
    const std::string row = the_match(page, R"(\n( *\| `core`[^\n]*)\| `-O3` \| `-O3` \|\n)");
    const std::string names = the_match(build, R"(foreach\(name ([a-z_/ ]*ops/[a-z_/ ]*)\))");
    for (const std::string& name : matches(names, R"(/(\w+))"))
      CHECK_MESSAGE(has(row, "`" + name + "`"), name);
    for (const std::string& folder :
         matches(the_match(build, R"(EXCLUDE REGEX "/\(([a-z|]+)\)/"\))"), R"((\w+))"))
      CHECK_MESSAGE(has(row, "`" + folder + "`"), folder);
  }

  TEST_CASE("every preset is named, and every preset named is there") {
    std::set<std::string> presets;
    const auto file = nlohmann::json::parse(file_of_repository("CMakePresets.json"));
    for (const auto& preset : file.at("configurePresets"))
      if (!preset.value("hidden", false)) presets.insert(preset.at("name").get<std::string>());
    CHECK(presets.size() >= 8);
    const std::string page = file_of_repository("CONTRIBUTING.md"),
                      building = file_of_repository("docs/building.md");
    const std::string others = the_match(page, R"(The other presets are ([^;]*);)");
    std::set<std::string> named = matches(others, "`([a-z-]+)`");
    named.insert("release");
    CHECK(named == presets);
    for (const std::string& preset : presets) CHECK_MESSAGE(has(building, "\n| `" + preset + "` |"), preset);
    for (const std::string path :
         {"CONTRIBUTING.md", "docs/building.md", "docs/debugging.md", "tests/README.md"})
      for (const std::string& preset : matches(file_of_repository(path), "--preset ([a-z-]+)"))
        CHECK_MESSAGE(presets.count(preset) == 1, path, " has the preset ", preset);
  }

  TEST_CASE("a version is compatible with those of the same minor version") {
    const std::string page = file_of_repository("CONTRIBUTING.md");
    CHECK(has(file_of_repository("framework/cmake/install.cmake"), "COMPATIBILITY SameMinorVersion)"));
    const std::string version =
        the_match(file_of_repository("framework/etude/version.h"), "ETUDE_VERSION \"(\\d+\\.\\d+)");
    CHECK(has(page, "`find_package(etude " + version + ")` accepts " + version + ".x alone"));
    CHECK(has(file_of_repository("CHANGELOG.md"), "\n## [" + version + "."));
  }
}
