// Every source of the framework and the layers has a test file of its name, in the same place under tests/. Tests of
// framework/extras/etude stand where its headers are included from: etude/ops/pad.h is tested in tests/framework/ops, and
// etude/rnn.h in tests/layers.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Paths = std::set<std::string>;

/// The possible test files of "framework/etude/ops/gelu.cpp": "tests/framework/ops/gelu_test.cpp" and its variants.
std::vector<std::string> homes_of(const std::string& source) {
  const std::string extras = "framework/extras/etude/";
  std::string place = source;
  if (source.rfind(extras, 0) == 0) {
    place.erase(0, extras.size());
    place.insert(0, place.find('/') == std::string::npos ? "layers/" : "framework/");
  } else {
    place.erase(place.find("etude/"), std::string("etude/").size());
  }
  place.resize(place.size() - std::string(".cpp").size());
  std::vector<std::string> homes;
  for (const char* kind : {"", "_extra", "_internal", "_golden"})
    homes.push_back("tests/" + place + kind + "_test.cpp");
  return homes;
}

/// The sources without a test file, one per line.
std::string untested(const Paths& sources, const Paths& tests) {
  std::string report;
  for (const std::string& source : sources) {
    const std::vector<std::string> homes = homes_of(source);
    if (std::none_of(homes.begin(), homes.end(), [&](const auto& home) { return tests.count(home); }))
      report += source + " has no " + homes[0] + "\n";
  }
  return report;
}

// Without the files that need several processes; their tests are in tests/distributed.
Paths cpp_files(const std::vector<std::string>& folders) {
  Paths paths;
  for (const std::string& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(ETUDE_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".cpp" && entry.path().parent_path().filename() != "mpi")
        paths.insert(entry.path().lexically_relative(ETUDE_SOURCE_DIR).generic_string());
  return paths;
}

}  // namespace

TEST_SUITE("test files") {
  TEST_CASE("every source of the framework and the layers has a test file of its name") {
    const Paths sources = cpp_files({"framework/etude", "framework/extras/etude", "layers/etude"});
    CHECK(sources.size() > 80);
    CHECK(untested(sources, cpp_files({"tests/framework", "tests/layers"})) == "");
  }

  TEST_CASE("a source without one is named, and a file of the same name elsewhere does not count") {
    const Paths sources = {"framework/etude/ops/gelu.cpp", "layers/etude/linear.cpp"};
    CHECK(untested(sources, {"tests/framework/ops/gelu_extra_test.cpp", "tests/layers/linear_test.cpp"}) ==
          "");
    CHECK(untested(sources, {"tests/framework/core/gelu_test.cpp", "tests/layers/linear_test.cpp"}) ==
          "framework/etude/ops/gelu.cpp has no tests/framework/ops/gelu_test.cpp\n");
    CHECK(untested(sources, {"tests/framework/ops/gelu_test.cpp", "tests/layers/linear_more_test.cpp"}) ==
          "layers/etude/linear.cpp has no tests/layers/linear_test.cpp\n");
    const Paths extras = {"framework/extras/etude/ops/pad.cpp", "framework/extras/etude/rnn.cpp"};
    CHECK(untested(extras, {"tests/framework/ops/pad_test.cpp", "tests/layers/rnn_extra_test.cpp"}) == "");
    CHECK(untested(extras, {"tests/framework/ops/pad_test.cpp", "tests/framework/rnn_test.cpp"}) ==
          "framework/extras/etude/rnn.cpp has no tests/layers/rnn_test.cpp\n");
  }
}
