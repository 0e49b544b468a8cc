#pragma once

#include <string>
#include <vector>

namespace tutorials {

/// The candidate with the fewest letters to change, or nothing if none is similar.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

/// For the first option of the command line that is none of `names`, a line with the nearest one; or nothing.
std::string did_you_mean(int argc, const char* const* argv,
                         const std::vector<std::string>& names);

}  // namespace tutorials
