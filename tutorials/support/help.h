#pragma once

#include <map>
#include <string>
#include <vector>

namespace tutorials {

/// A wrong answer that many give: what comes of it, and what helps who gave it. A right answer that is listed says nothing.
struct Mistake {
  std::string came, says;
};

/// The known mistakes of a lesson's exercises, by id, as a file of tutorials/help lists them.
std::map<std::string, std::vector<Mistake>> read_mistakes(const std::string& help);

/// The answer of which the same came, or if there is none, nearly the same: another processor may round other sums
/// differently. Null if there is no such answer.
const Mistake* find_mistake(const std::vector<Mistake>& mistakes, const std::string& came);

}  // namespace tutorials
