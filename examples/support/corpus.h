#pragma once

#include <string>

namespace examples {

/// The project's own documentation, tutorials and headers of layers in sequence: a training text that is always
/// available. Looks for the files below `root`, or where the program was compiled and below the current folder.
/// Throws FileError with a hint if they are missing.
std::string project_text(const std::string& root = "");

}  // namespace examples
