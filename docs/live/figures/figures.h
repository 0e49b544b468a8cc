#pragma once

#include <string>

namespace figures {

/// What a figure shows, computed with the library: takes the figure's name and its controls as JSON, and gives JSON with the
/// numbers of the picture and with `words` that say what it shows. What cannot be computed gives {"error": a sentence}.
std::string answer(const std::string& name, const std::string& controls);

}  // namespace figures
