#pragma once

#include <string>

namespace figures {

/// Computes a figure with the library: takes its name and its controls as JSON, and returns JSON with the numbers of the
/// picture and with `words` that describe it. On failure it returns {"error": a sentence}.
std::string answer(const std::string& name, const std::string& controls);

}  // namespace figures
