#include "support/labelled_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <sstream>

#include "support/program.h"
#include "tutorials/support/files.h"
#include "tutorials/support/text.h"

namespace examples {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortest = 12, kLongest = 80;

// Collects the lines that `keep` returns, where empty means none. Drops short lines, which say too little.
class Lines {
 public:
  explicit Lines(std::string label) : found_{std::move(label), {}} {}
  void add(const std::string& text, const std::function<std::string(const std::string&)>& keep) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      line = keep(line);
      const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
      if (first == std::string::npos) continue;
      line = line.substr(first, std::min(last - first + 1, kLongest));
      if (line.size() >= kShortest && seen_.insert(line).second) found_.lines.push_back(line);
    }
  }
  LabelledLines take() { return std::move(found_); }

 private:
  LabelledLines found_;
  std::set<std::string> seen_;
};

// All files below a folder, in the same order on every machine.
std::vector<fs::path> files_below(const std::string& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(tutorials::source_file(folder)))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_comment(const std::string& line) {
  const size_t first = line.find_first_not_of(' ');
  return first != std::string::npos && line.compare(first, 2, "//") == 0;
}

// Markdown without its code, tables and headings.
std::string prose(const std::string& text) {
  std::istringstream in(text);
  std::string found;
  bool is_code = false;
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 3, "```") == 0) is_code = !is_code;
    else if (!is_code && line.find_first_of("|#") != 0) found += line + "\n";
  }
  return found;
}

std::string whole(const std::string& line) { return line; }
std::string without_comments(const std::string& line) { return is_comment(line) ? "" : line; }
std::string comments(const std::string& line) {
  const size_t text = line.find_first_not_of(" /");
  return is_comment(line) && text != std::string::npos ? line.substr(text) : "";
}

}  // namespace

std::vector<LabelledLines> project_lines() {
  try {
    Lines english("English"), cpp("C++"), python("Python");
    for (const char* file : {"README.md", "CHANGELOG.md", "CONTRIBUTING.md"})
      english.add(prose(tutorials::read_text(tutorials::source_file(file))), whole);
    for (const fs::path& file : files_below("layers", ".h"))
      english.add(tutorials::read_text(file), comments);
    for (const fs::path& file : files_below("layers", ".cpp"))
      cpp.add(tutorials::read_text(file), without_comments);
    for (const fs::path& file : files_below("tests/golden", ".py"))
      python.add(tutorials::read_text(file), whole);
    return {english.take(), cpp.take(), python.take()};
  } catch (const std::exception& error) {  // from the file or from the file system
    throw FileError(
        std::string(error.what()) +
        "\nhint: the lines are those of the project's files; run this in its folder, or give files "
        "with --file label=path");
  }
}

std::vector<LabelledLines> lines_of_files(const std::vector<std::string>& labelled_paths) {
  std::vector<LabelledLines> all;
  for (const std::string& labelled : labelled_paths) {
    const size_t sign = labelled.find('=');
    if (sign == std::string::npos || sign == 0)
      throw UsageError("--file: expected label=path, but got " + labelled);
    Lines lines(labelled.substr(0, sign));
    lines.add(tutorials::read_text(labelled.substr(sign + 1)), whole);
    all.push_back(lines.take());
    if (all.back().lines.size() < 10)
      throw UsageError("--file: " + labelled + " has " + std::to_string(all.back().lines.size()) +
                       " different lines of at least 12 characters, and 10 are needed");
  }
  if (all.size() < 2)
    throw UsageError("--file: give at least two files, so that there is something to tell apart");
  return all;
}

CharacterCounts::CharacterCounts(const std::vector<LabelledLines>& training) {
  for (const LabelledLines& kind : training) {
    std::array<double, 256> counts;
    counts.fill(1);
    double sum = 256;
    for (const std::string& line : kind.lines) {
      for (const char c : line) ++counts[static_cast<unsigned char>(c)];
      sum += static_cast<double>(line.size());
    }
    std::vector<double>& logs = log_probabilities_.emplace_back();
    for (const double count : counts) logs.push_back(std::log(count / sum));
  }
}

size_t CharacterCounts::operator()(const std::string& line) const {
  std::vector<double> sums;
  for (const std::vector<double>& logs : log_probabilities_) {
    double sum = 0;
    for (const char c : line) sum += logs[static_cast<unsigned char>(c)];
    sums.push_back(sum);
  }
  return static_cast<size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

}  // namespace examples
