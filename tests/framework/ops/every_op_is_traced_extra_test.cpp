// The definitions of all public ops are read from the sources: each begins an event of a trace, or only calls one that does.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/has.h"

namespace fs = std::filesystem;

TEST_SUITE("every op is traced") {
  namespace {

  using etude::has;
  using OpNames = std::set<std::string>;

  // Functions that PyTorch does not trace as ops either, and functions that only throw.
  const OpNames kNoOps = {"from_blob",    "is_cpu_enabled",  "is_autocast_cache_enabled",
                          "view_as_real", "view_as_complex", "polar"};

  std::string read_source(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Functions and methods that headers declare.
  OpNames declared_in(const std::string& header) {
    static const std::regex name(
        R"re((?:ETUDE_API|^ +)(?: ?)(?:Tensor&?|bool|std::(?:vector|tuple|pair)<[^;()]*>) (\w+)\()re"),
        row(R"re((?:ETUDE_BITWISE\(\S+, |ETUDE_(?:BOTH_FORMS|UNARY_METHOD|BINARY_METHOD)\()(\w+))re");
    OpNames names;
    std::istringstream lines(header);
    for (std::string line; std::getline(lines, line);) {
      for (std::sregex_iterator i(line.begin(), line.end(), name), end; i != end; ++i) names.insert((*i)[1]);
      for (std::sregex_iterator i(line.begin(), line.end(), row), end; i != end; ++i)
        names.insert({(*i)[1], (*i)[1].str() + "_"});
    }
    return names;
  }

  struct OpDefinition {
    std::string name, body;
  };

  // Functions outside of unnamed namespaces, and those in macros, whose names may be `name` and `name##_`.
  std::vector<OpDefinition> definitions_in(const std::string& source) {
    static const std::regex begin(
        R"re((  )?(?:Tensor&?|bool|Unique|std::(?:vector|tuple|pair)<[^;()]*>) (?:Tensor::)?(\w+(?:##\w+)?)\(.*)re");
    std::vector<OpDefinition> found;
    std::istringstream lines(source);
    bool is_private = false;
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (line == "namespace {") is_private = true;
      if (line == "}  // namespace") is_private = false;
      if (is_private || !std::regex_match(line, match, begin)) continue;
      const bool in_macro = match[1].matched;
      const std::string name = match[2], last = in_macro ? "  }" : "}";
      std::string text;
      do {
        if (in_macro) line.erase(line.find_last_not_of(" \\") + 1);
        const bool opens = !has(text, "{") && has(line, "{");
        text += line + "\n";
        if (line == last || (opens && line.back() == '}') || (!has(text, "{") && has(line, ";"))) break;
      } while (std::getline(lines, line));
      const size_t brace = text.find('{');
      if (brace != std::string::npos) found.push_back({name, text.substr(brace)});
    }
    return found;
  }

  bool is_traced(const OpDefinition& op, const OpNames& ops) {
    if (has(op.body, "_OP(" + op.name + ",") || has(op.body, "ETUDE_HEARD(\"etude::" + op.name + "\","))
      return true;
    static const std::regex forwards(
        R"re(\{\s*(?:ETUDE_CHECK\([^;]*;\s*)?return (?:etude::|self\.)?(\w+(?:##\w+)?)\([^;]*;\s*\}\s*)re");
    std::smatch match;
    return std::regex_match(op.body, match, forwards) && (ops.count(match[1]) || has(match[1], "name"));
  }

  // The public ops of a source that are not traced.
  std::vector<std::string> untraced_in(const std::string& source, const OpNames& ops) {
    std::vector<std::string> names;
    for (const OpDefinition& op : definitions_in(source)) {
      const bool is_public =
          ops.count(op.name) || op.name.rfind("name", 0) == 0 || op.name.rfind("alias", 0) == 0;
      if (is_public && !kNoOps.count(op.name) && !is_traced(op, ops)) names.push_back(op.name);
    }
    return names;
  }

  }  // namespace

  TEST_CASE("an op without an event is found, whatever form its definition has") {
    const OpNames ops = declared_in(
        "ETUDE_API Tensor one(const Tensor& x);\n  Tensor two() const;\nETUDE_API std::tuple<Tensor, Tensor> "
        "three(int a,\n"
        "  ETUDE_BOTH_FORMS(four, int a) int five();");
    CHECK(ops == OpNames{"one", "two", "three", "four", "four_"});
    const auto untraced = [&](const std::string& source) { return untraced_in(source, ops); };
    using List = std::vector<std::string>;
    CHECK(untraced("Tensor one(const Tensor& x) {\n  ETUDE_OP(one, x);\n  return f(x);\n}\n").empty());
    CHECK(untraced("Tensor one(const Tensor& x) {\n  return f(x);\n}\n") == List{"one"});
    CHECK(untraced("Tensor one(const Tensor& x) {\n  ETUDE_OP(two, x);\n  return f(x);\n}\n") == List{"one"});
    CHECK(untraced("Tensor one(const Tensor& x) { return f(x); }\n") == List{"one"});
    CHECK(untraced("Tensor one(const Tensor& x) { return four(x); }\n").empty());
    CHECK(untraced("Tensor one(const Tensor& x,\n           int y) {\n  return four(f(x),\n    y);\n}\n")
              .empty());
    CHECK(untraced("Tensor Tensor::two() const {\n  if (a) {\n    b();\n  }\n  return *this;\n}\n") ==
          List{"two"});
    CHECK(untraced("std::tuple<Tensor, Tensor> three(int a,\n   int b) {\n  f();\n\n  return {a, "
                   "b};\n}\nTensor one() {\n"
                   "  return f();\n}\n") == List{"three", "one"});
    CHECK(untraced("#define M(name) \\\n  Tensor name(int a) { \\\n    return f(a); \\\n  } \\\n  Tensor& "
                   "Tensor::name##_() const { return f(); }\n") == List{"name", "name##_"});
    CHECK(untraced("#define M(name) \\\n  Tensor name(int a) {  \\\n    ETUDE_OP(name, a); \\\n    return "
                   "f(a); \\\n  }\n")
              .empty());
    CHECK(untraced("namespace {\nTensor one(int a) {\n  return f(a);\n}\n}  // namespace\nTensor six() { "
                   "return f(); }\n")
              .empty());
  }

  TEST_CASE("each op that a header declares has an event, or is another name of one that has") {
    const fs::path framework = fs::path(ETUDE_SOURCE_DIR) / "framework";
    OpNames ops = declared_in(read_source(framework / "etude/core/tensor.h"));
    std::string core, extras;
    for (std::string* sources : {&core, &extras}) {
      const fs::path root = framework / (sources == &core ? "etude" : "extras/etude");
      for (const auto& entry : fs::recursive_directory_iterator(root / "ops")) {
        if (!entry.is_regular_file()) continue;
        const std::string text = read_source(entry.path());
        const bool is_header = entry.path().extension() == ".h";
        const bool is_private = has(entry.path().generic_string(), "/detail/");
        if (is_header && !is_private) ops.merge(declared_in(text));
        if (!is_header || is_private) *sources += text;
      }
    }
    CHECK(ops.size() > 400);
    const auto definitions = [&](const std::string& sources) {
      size_t count = 0;
      for (const OpDefinition& op : definitions_in(sources)) count += ops.count(op.name);
      return count;
    };
    CHECK(definitions(core) > 300);
    CHECK(definitions(extras) > 40);
    std::string report;
    for (const std::string& name : untraced_in(core + extras, ops)) report += name + "\n";
    CHECK(report == "");
  }
}
