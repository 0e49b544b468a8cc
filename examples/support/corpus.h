#pragma once

#include <string>

namespace examples {

/// The project's own documentation, tutorials and headers of layers, one after the other: a text to learn from
/// that is always at hand. They are looked for below `root`, or where the program was compiled and below the
/// current folder. Throws FileError with a hint where they are not.
std::string project_text(const std::string& root = "");

}  // namespace examples
