// Which folder may include which; the test reads the sources:
//
//   core  <-  autograd  <-  ops  <-  io  <-  nn  <-  optim, text  <-  data  <-  training  <-  layers  <-  examples, tutorials,
//                                                                                                       torch/torch.h
//      ^---  onednn  <------'                                        ^---  distributed  <------------- examples, tutorials
//                                                                    ^---  explain  <---------------- layers
//
// framework/extras has the same folders, and layers of its own. Nothing of the core includes anything of the extras, apart from
// the headers that include everything, etude/framework.h and etude/etude.h.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/has.h"

namespace {

using etude::has;
namespace fs = std::filesystem;

/// A source file by its path in the repository, and its text.
struct Source {
  std::string path;
  std::string text;
};

bool starts_with(const std::string& s, const std::string& prefix) { return s.rfind(prefix, 0) == 0; }
bool is_header(const std::string& path) { return path.size() > 2 && path.substr(path.size() - 2) == ".h"; }

// The folders whose headers a file may include, with its own folder.
const std::map<std::string, std::set<std::string>> allowed = [] {
  std::map<std::string, std::set<std::string>> a;
  a["version"] = {};
  a["core"] = {"core"};
  a["autograd"] = {"core", "autograd"};
  a["onednn"] = {"core", "onednn"};
  a["ops"] = {"core", "autograd", "onednn", "ops"};
  a["io"] = {"core", "autograd", "onednn", "ops", "io"};
  a["nn"] = {"core", "autograd", "onednn", "ops", "io", "nn"};
  a["optim"] = {"core", "autograd", "onednn", "ops", "io", "nn", "optim"};
  a["text"] = {"core", "autograd", "onednn", "ops", "io", "nn", "text"};
  a["data"] = {"core", "autograd", "onednn", "ops", "io", "nn", "text", "data"};
  a["training"] = {"core", "autograd", "onednn", "ops", "io", "nn", "optim", "data", "training"};
  a["explain"] = {"core", "autograd", "onednn", "ops", "io", "nn", "text", "explain"};
  a["framework"] = {"core",    "autograd", "onednn", "ops",  "io",      "nn",
                    "explain", "optim",    "text",   "data", "training"};
  a["layers"] = a["framework"];
  a["layers"].insert({"framework", "layers"});
  a["distributed"] = {"core", "autograd", "onednn", "ops", "io", "nn", "optim", "distributed"};
  a["mini"] = {"mini"};  // only its own program and tests include it
  a["libtorch"] = a["layers"];
  a["libtorch"].insert("libtorch");
  a["program"] = a["layers"];
  a["program"].insert({"program", "distributed"});
  for (auto& [folder, others] : a) others.insert("version");
  return a;
}();

const std::string kExtras = "framework/extras/";
bool is_extra(const std::string& path) { return starts_with(path, kExtras); }

/// The folder of a file as a key of the map above; empty if it is not in the map.
std::string folder_of(const std::string& path) {
  if (is_extra(path)) {
    const std::string same_in_core = "framework/" + path.substr(kExtras.size());
    return has(same_in_core.substr(std::string("framework/etude/").size()), "/") ? folder_of(same_in_core)
                                                                                 : "layers";
  }
  if (path == "framework/etude/framework.h") return "framework";
  if (path == "framework/etude/version.h") return "version";
  if (starts_with(path, "layers/etude/")) return "layers";
  if (starts_with(path, "framework/libtorch/")) return "libtorch";
  if (starts_with(path, "framework/mini/") || starts_with(path, "examples/mini/")) return "mini";
  if (starts_with(path, "examples/") || starts_with(path, "tutorials/")) return "program";
  std::smatch folder;
  static const std::regex in_framework("framework/etude/([^/]+)/.*");
  if (std::regex_match(path, folder, in_framework) && allowed.count(folder[1])) return folder[1];
  return "";
}

/// Resolves an included name as the compiler does: in the include roots, then beside a program.
std::string resolve(const std::string& from, const std::string& name, const std::set<std::string>& files) {
  std::vector<std::string> roots = {"framework/", kExtras, "layers/", "framework/libtorch/"};
  if (folder_of(from) == "program") roots.insert(roots.end(), {from.substr(0, from.find('/') + 1)});
  for (const std::string& root : roots)
    if (files.count(root + name)) return root + name;
  return "";
}

/// The fault of one include; empty if there is none.
std::string judge(const std::string& from, const std::string& name, const std::set<std::string>& files) {
  if (has(name, "dnnl")) {
    const bool oneDNNs_own = starts_with(from, "framework/etude/onednn/") && !is_header(from);
    return oneDNNs_own ? "" : "only framework/etude/onednn/*.cpp may include oneDNN";
  }
  if (name == "mpi.h" && !starts_with(from, "framework/extras/etude/distributed/mpi/detail/"))
    return "only framework/extras/etude/distributed/mpi/detail/ may include MPI";
  const std::string to = resolve(from, name, files);
  if (to.empty()) return starts_with(name, "etude/") ? "no such header" : "";
  const std::string here = folder_of(from), there = folder_of(to);
  if (!allowed.at(here).count(there)) return here + " may not include " + there;
  const bool in_core = starts_with(from, "framework/etude/") || starts_with(from, "layers/etude/");
  const bool has_everything = here == "framework" || from == "layers/etude/etude.h";
  if (in_core && is_extra(to) && !has_everything) return "the core may not include an extra";
  if (!has(to, "/detail/")) return "";
  if (here == "layers" || !starts_with(from, "framework/")) return "detail/ is private to framework/";
  if (is_header(from) && !has(from, "/detail/")) return "a public header may not include detail/";
  if (there == "onednn" && here != "onednn" && here != "ops") return "only ops may include onednn/detail/";
  return "";
}

/// Every include that breaks a rule, as "file:line: the fault: the include".
std::vector<std::string> violations(const std::vector<Source>& sources) {
  static const std::regex include("\\s*#\\s*include\\s*[\"<]([^\">]+)[\">].*");
  std::set<std::string> files;
  for (const Source& s : sources) files.insert(s.path);

  std::vector<std::string> found;
  for (const Source& s : sources) {
    if (folder_of(s.path).empty()) {
      found.push_back(s.path + ": this folder has no place in the order");
      continue;
    }
    std::istringstream text(s.text);
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
      std::smatch name;
      if (!std::regex_match(line, name, include)) continue;
      const std::string wrong = judge(s.path, name[1], files);
      if (!wrong.empty()) found.push_back(s.path + ":" + std::to_string(number) + ": " + wrong + ": " + line);
    }
  }
  return found;
}

std::vector<Source> read_sources(std::vector<std::string> folders) {
  std::vector<Source> sources;
  for (const std::string& folder : folders) {
    const fs::path top = fs::path(ETUDE_SOURCE_DIR) / folder;
    if (!fs::exists(top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      sources.push_back({entry.path().lexically_relative(ETUDE_SOURCE_DIR).generic_string(), text.str()});
    }
  }
  return sources;
}

// Checks a miniature source tree in which one file is replaced.
std::vector<std::string> violations_with(const std::string& path, const std::string& text) {
  std::vector<Source> sources = {
      {"framework/etude/core/tensor.h", "#pragma once\n#include <vector>\n"},
      {"framework/etude/core/detail/loops.h", ""},
      {"framework/etude/autograd/grad_mode.h", "#include \"etude/core/tensor.h\"\n"},
      {"framework/etude/onednn/backend.h", ""},
      {"framework/etude/onednn/detail/onednn.h", "#include \"etude/core/tensor.h\"\n"},
      {"framework/etude/ops/ops.h", "#include \"etude/core/tensor.h\"\n"},
      {"framework/etude/nn/module.h", "#include \"etude/ops/ops.h\"\n"},
      {"framework/extras/etude/ops/pad.h", "#include \"etude/core/tensor.h\"\n"},
      {"framework/etude/framework.h", "#include \"etude/nn/module.h\"\n#include \"etude/ops/pad.h\"\n"},
      {"layers/etude/linear.h", "#include \"etude/nn/module.h\"\n"},
      {"tutorials/support/cell.h", "#include <etude/linear.h>\n"},
  };
  for (Source& s : sources)
    if (s.path == path) s.text = text;
  if (folder_of(path).empty() || !is_header(path)) sources.push_back({path, text});
  return violations(sources);
}

TEST_CASE("every include of the framework, the layers and the programs follows the order of the folders") {
  const std::vector<Source> sources = read_sources({"framework", "layers", "examples", "tutorials"});
  REQUIRE(sources.size() > 20);
  std::string report;
  for (const std::string& line : violations(sources)) report += line + "\n";
  CHECK(report == "");
}

TEST_CASE("a tree in order has nothing to report") {
  CHECK(violations_with("framework/etude/core/tensor.h", "#include <vector>\n").empty());
  CHECK(violations_with("framework/etude/ops/exp.cpp",
                        "#include \"etude/ops/ops.h\"\n#include \"etude/onednn/detail/onednn.h\"\n"
                        "#include \"etude/core/detail/loops.h\"\n#include \"etude/autograd/grad_mode.h\"\n")
            .empty());
  CHECK(violations_with("framework/etude/onednn/onednn.cpp", "#include <dnnl.hpp>\n").empty());
  CHECK(
      violations_with("tutorials/01_loops.cpp", "#include \"support/cell.h\"\n#include <etude/framework.h>\n")
          .empty());
}

TEST_CASE("an include against the order is reported with its file and line") {
  const auto found =
      violations_with("framework/etude/core/tensor.h", "#pragma once\n#include \"etude/ops/ops.h\"\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "framework/etude/core/tensor.h:2: core may not include ops: #include \"etude/ops/ops.h\"");
  CHECK(violations_with("framework/etude/autograd/grad_mode.h", "#include <etude/ops/ops.h>\n").size() == 1);
  CHECK(violations_with("framework/etude/onednn/onednn.cpp", "#include \"etude/ops/ops.h\"\n").size() == 1);
  CHECK(violations_with("framework/etude/onednn/backend.h", "#include \"etude/autograd/grad_mode.h\"\n")
            .size() == 1);
  CHECK(violations_with("framework/etude/nn/module.h", "#include \"etude/linear.h\"\n").size() == 1);
  CHECK(violations_with("framework/etude/ops/ops.h", "#include \"etude/framework.h\"\n").size() == 1);
}

TEST_CASE("the core includes no extra, and an extra keeps the order of its folder") {
  CHECK(violations_with("framework/extras/etude/ops/pad.cpp",
                        "#include \"etude/ops/pad.h\"\n#include \"etude/core/detail/loops.h\"\n")
            .empty());
  CHECK(violations_with("framework/extras/etude/rnn.h", "#include \"etude/framework.h\"\n").empty());
  CHECK(violations_with("framework/extras/etude/ops/pad.cpp", "#include \"etude/nn/module.h\"\n").size() ==
        1);
  CHECK(
      violations_with("framework/extras/etude/rnn.cpp", "#include \"etude/core/detail/loops.h\"\n").size() ==
      1);
  const auto found = violations_with("framework/etude/nn/module.cpp", "#include \"etude/ops/pad.h\"\n");
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "framework/etude/nn/module.cpp:1: the core may not include an extra: #include \"etude/ops/pad.h\"");
  CHECK(violations_with("layers/etude/linear.cpp", "#include \"etude/ops/pad.h\"\n").size() == 1);
}

TEST_CASE("detail folders are private to the framework and stay out of public headers") {
  CHECK(violations_with("framework/etude/core/tensor.h", "#include \"etude/core/detail/loops.h\"\n").size() ==
        1);
  CHECK(violations_with("layers/etude/linear.cpp", "#include \"etude/core/detail/loops.h\"\n").size() == 1);
  CHECK(violations_with("tutorials/01_loops.cpp", "#include \"etude/core/detail/loops.h\"\n").size() == 1);
  CHECK(violations_with("framework/etude/nn/module.cpp", "#include \"etude/onednn/detail/onednn.h\"\n")
            .size() == 1);
  CHECK(violations_with("framework/etude/nn/module.cpp", "#include \"etude/core/detail/loops.h\"\n").empty());
}

TEST_CASE("oneDNN's header, MPI's, unknown headers and unknown folders are reported") {
  CHECK(violations_with("framework/extras/etude/distributed/mpi/group.cpp", "#include <mpi.h>\n").size() ==
        1);
  CHECK(violations_with("framework/extras/etude/distributed/mpi/detail/mpi.h", "#include <mpi.h>\n").empty());
  CHECK(violations_with("framework/etude/ops/exp.cpp", "#include <dnnl.hpp>\n").size() == 1);
  CHECK(violations_with("framework/etude/onednn/backend.h", "#include <oneapi/dnnl/dnnl.hpp>\n").size() == 1);
  CHECK(violations_with("framework/etude/ops/exp.cpp", "#include \"etude/ops/none.h\"\n").size() == 1);
  CHECK(violations_with("framework/etude/misc/exp.cpp", "").size() == 1);
}

}  // namespace
