#include "support/expressions.h"

#include <regex>

namespace tutorials {

std::vector<std::string> find_all(const std::string& pattern, const std::string& text) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), expression), end; i != end; ++i)
    found.push_back(i->str());
  return found;
}

std::vector<std::string> find_groups(const std::string& pattern, const std::string& text) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex(pattern))) return {};
  return {match.begin() + 1, match.end()};
}

}  // namespace tutorials
