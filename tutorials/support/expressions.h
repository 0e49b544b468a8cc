#pragma once

#include <string>
#include <vector>

// What lessons look for in texts. std::regex is slow to compile: once is enough.
namespace tutorials {

/// All that matches a regular expression, as Python's re.findall has it for one without groups.
std::vector<std::string> find_all(const std::string& pattern, const std::string& text);

/// What the groups of the first match hold, as Python's re.search(...).groups() has it; nothing if
/// nothing matches.
std::vector<std::string> find_groups(const std::string& pattern, const std::string& text);

}  // namespace tutorials
