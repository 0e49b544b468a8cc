#include "support/nearest.h"

#include <algorithm>

namespace tutorials {
namespace {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t fewest = std::max<size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const size_t changes = edit_distance(word, candidate);
    if (changes >= fewest) continue;
    fewest = changes;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(int argc, const char* const* argv,
                         const std::vector<std::string>& names) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    const bool known = std::find(names.begin(), names.end(), argument) != names.end();
    if (known || argument.rfind("-", 0) != 0) continue;
    const std::string near = nearest(argument, names);
    if (!near.empty()) return "Did you mean " + near + "?\n";
  }
  return "";
}

}  // namespace tutorials
