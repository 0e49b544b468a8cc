#include "support/help.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <sstream>

namespace tutorials {
namespace {

/// Whether two words are the same, or fractions that differ by half a percent or by 1e-5 at most.
bool are_near(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto is_fraction = [](const std::string& word) {
    return word.find_first_of(".e") != std::string::npos;
  };
  if (!is_fraction(a) && !is_fraction(b)) return false;
  char *end_a, *end_b;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  return end_a != a.c_str() && end_b != b.c_str() && std::string(end_a) == end_b &&
         std::abs(x - y) <= std::max(1e-5, 0.005 * std::abs(x));
}

bool came_nearly(const std::string& a, const std::string& b) {
  std::istringstream words_a(a), words_b(b);
  for (std::string x, y;;) {
    const bool more_a = static_cast<bool>(words_a >> x),
               more_b = static_cast<bool>(words_b >> y);
    if (!more_a || !more_b) return more_a == more_b;
    if (!are_near(x, y)) return false;
  }
}

}  // namespace

std::map<std::string, std::vector<Mistake>> read_mistakes(const std::string& help) {
  std::map<std::string, std::vector<Mistake>> mistakes;
  std::vector<Mistake>* list = nullptr;
  std::string* text = nullptr;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const size_t blank = line.find(' ');
    const std::string key = line.substr(0, blank);
    const std::string rest = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (key.rfind("exercise", 0) == 0) {
      list = &mistakes[key];
    } else if ((key == "wrong" || key == "gives") && list != nullptr) {
      list->emplace_back();
    } else if (key.empty()) {  // the further lines of a row are indented
      if (text != nullptr && !rest.empty())
        *text += rest.substr(rest.find_first_not_of(' ') - 1);
      continue;
    }
    const bool is_of_mistake = list != nullptr && !list->empty();
    text = is_of_mistake && (key == "came" || key == "gives") ? &list->back().came
           : is_of_mistake && key == "says"                   ? &list->back().says
                                                              : nullptr;
    if (text != nullptr) *text = rest;
  }
  return mistakes;
}

const Mistake* find_mistake(const std::vector<Mistake>& mistakes, const std::string& came) {
  const auto find = [&](auto is_it) {
    const auto found = std::find_if(mistakes.begin(), mistakes.end(),
                                    [&](const Mistake& one) { return is_it(one.came, came); });
    return found == mistakes.end() ? nullptr : &*found;
  };
  const Mistake* same = find(std::equal_to<>());
  return same != nullptr ? same : find(came_nearly);
}

}  // namespace tutorials
