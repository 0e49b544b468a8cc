#include "support/help.h"

#include <sstream>

namespace tutorials {

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
    } else if (key == "wrong" && list != nullptr) {
      list->emplace_back();
    } else if (key.empty()) {  // the further lines of a row are indented
      if (text != nullptr && !rest.empty())
        *text += rest.substr(rest.find_first_not_of(' ') - 1);
      continue;
    }
    const bool is_of_mistake = list != nullptr && !list->empty();
    text = is_of_mistake && key == "came"   ? &list->back().came
           : is_of_mistake && key == "says" ? &list->back().says
                                            : nullptr;
    if (text != nullptr) *text = rest;
  }
  return mistakes;
}

}  // namespace tutorials
