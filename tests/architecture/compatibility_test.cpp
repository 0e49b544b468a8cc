// The compiler knows every name in docs/compatibility.md.

#include <doctest/doctest.h>
#include <stdio.h>

#include <array>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> kNamespaces = {"etude",
                                              "etude::WarningUtils",
                                              "etude::nn",
                                              "etude::nn::functional",
                                              "etude::nn::init",
                                              "etude::nn::utils",
                                              "etude::nn::utils::rnn",
                                              "etude::optim",
                                              "etude::autograd",
                                              "etude::autograd::profiler",
                                              "etude::autocast",
                                              "etude::indexing",
                                              "etude::serialize",
                                              "etude::data",
                                              "etude::data::datasets",
                                              "etude::data::transforms",
                                              "etude::data::samplers"};
const std::vector<std::string> kClasses = {"etude::Tensor",
                                           "etude::nn::Module",
                                           "etude::nn::MultiheadAttentionOptions",
                                           "etude::nn::TransformerEncoderLayerOptions",
                                           "etude::optim::LRScheduler",
                                           "etude::optim::Optimizer"};

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The names set as code in a part of the page, in tables only from the first column. Macros and names of namespaces are
/// left out.
std::set<std::string> names_in(const std::string& part) {
  std::istringstream rows(part);
  std::string text;
  for (std::string row; std::getline(rows, row);)
    text += (row.rfind("|", 0) == 0 ? row.substr(0, row.find('|', 1)) : row) + "\n";
  const std::regex name("`([A-Za-z]\\w*(::\\w+)*|_\\w+)`");
  std::set<std::string> names;
  for (std::sregex_iterator i(text.begin(), text.end(), name), none; i != none; ++i) {
    const std::string found = (*i)[1];
    if (found.rfind("etude", 0) != 0 && found.find("ETUDE_") != 0 && found.find("TORCH_") != 0 &&
        found.find("RECORD_") != 0)
      names.insert(found);
  }
  return names;
}

struct NamesOnPage {
  std::set<std::string> of_libtorch, own;
};

NamesOnPage names_on_page() {
  const std::string page = read(std::string(ETUDE_SOURCE_DIR) + "/docs/compatibility.md");
  const size_t begin = page.find("\n## Functions"), table = page.find("\n## Only here"),
               end = page.find("\n## What differs");
  REQUIRE((begin < table && table < end && end != std::string::npos));
  return {names_in(page.substr(begin, table - begin)), names_in(page.substr(table, end - table))};
}

// Without the lines of the source, the compiler writes a third of the text.
#ifdef __clang__
const std::string kTerse = "-fno-caret-diagnostics -ferror-limit=0";
#else
const std::string kTerse = "-fno-diagnostics-show-caret";
#endif

/// The indices of the lines that the compiler rejects after including `header`.
std::set<size_t> refused_lines(const std::vector<std::string>& lines, const std::string& header) {
  const std::string path = std::string(ETUDE_BINARY_DIR) + "/names_on_page.cpp";
  {
    std::ofstream file(path);
    file << "#include <" << header << ">\n";
    for (const std::string& line : lines) file << line << "\n";
  }
  const std::string source_dir = ETUDE_SOURCE_DIR;
  const std::string command = std::string(ETUDE_CXX_COMPILER) + " -std=c++17 -fsyntax-only " + kTerse +
                              " -I" + source_dir + "/framework -I" + source_dir + "/framework/extras -I" +
                              source_dir + "/layers -I" + source_dir + "/framework/libtorch " + path +
                              " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  std::string output;
  std::array<char, 65536> block;
  while (const size_t n = fread(block.data(), 1, block.size(), pipe)) output.append(block.data(), n);
  pclose(pipe);
  std::set<size_t> refused;
  const std::string place = path + ":";
  std::istringstream messages(output);
  for (std::string message; std::getline(messages, message);)
    if (message.rfind(place, 0) == 0 && message.find(": error: ") != std::string::npos)
      refused.insert(std::stoul(message.substr(place.size())) - 2);
  return refused;
}

}  // namespace

TEST_CASE("every name on the page of compatibility is one that the compiler knows") {
  const NamesOnPage page = names_on_page();
  std::set<std::string> names = page.of_libtorch;
  names.insert(page.own.begin(), page.own.end());
  CHECK(names.size() > 400);
  std::vector<std::string> lines, subjects;
  auto add = [&](const std::string& name, const std::string& line) {
    const std::string number = std::to_string(lines.size());
    lines.push_back("namespace n" + number + " { " + line + " }");
    subjects.push_back(name);
  };
  for (const std::string& name : names) {
    for (const std::string& scope : kNamespaces) add(name, "using " + scope + "::" + name + ";");
    const std::string member = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
    std::vector<std::string> classes = kClasses;
    if (member != name)
      for (const std::string& scope : kNamespaces)
        classes.push_back(scope + "::" + name.substr(0, name.rfind("::")));
    for (const std::string& scope : classes)
      add(name, "struct S : " + scope + " { using " + scope + "::" + member + "; };");
  }
  const std::set<size_t> refused = refused_lines(lines, "etude/etude.h");
  CHECK(refused.size() > names.size());  // a name is in only one or two of many scopes
  std::map<std::string, bool> known;
  for (size_t i = 0; i < lines.size(); ++i) known[subjects[i]] = known[subjects[i]] || refused.count(i) == 0;
  for (const auto& name : known) CHECK_MESSAGE(name.second, name.first);
}

TEST_CASE("torch/torch.h has the names that LibTorch has too, and none of Etude's own") {
  const NamesOnPage page = names_on_page();
  // LibTorch 2 has all but print.
  const std::set<std::string> own_and_there = {"print", "rms_norm", "ReduceLROnPlateauScheduler",
                                               "scaled_dot_product_attention"};
  std::vector<std::string> names, lines;  // two lines for each name: etude's, torch's
  for (const auto* part : {&page.of_libtorch, &page.own}) {
    for (const std::string& name : *part) {
      const bool own = part == &page.own;
      if (name.find("::") != std::string::npos ||
          (own ? own_and_there.count(name) || page.of_libtorch.count(name) : page.own.count(name)))
        continue;
      for (const std::string& scope : kNamespaces) {
        const std::string number = std::to_string(names.size());
        names.push_back((own ? "own " : "") + scope + "::" + name);
        lines.push_back("namespace here" + number + " { using " + scope + "::" + name + "; }");
        lines.push_back("namespace there" + number + " { using torch" + scope.substr(5) + "::" + name +
                        "; }");
      }
    }
  }
  const std::set<size_t> refused = refused_lines(lines, "torch/torch.h");
  CHECK(refused.size() > names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (refused.count(2 * i)) continue;
    const bool own = names[i].rfind("own ", 0) == 0;
    CHECK_MESSAGE((refused.count(2 * i + 1) != 0) == own, names[i]);
  }
}
