#pragma once

#include <map>
#include <string>
#include <vector>

namespace tutorials {

/// A wrong answer that many give: what comes of it, and what helps who gave it.
struct Mistake {
  std::string came, says;
};

/// The known mistakes of a lesson's exercises, by id, as a file of tutorials/help lists them.
std::map<std::string, std::vector<Mistake>> read_mistakes(const std::string& help);

}  // namespace tutorials
