#pragma once

#include <string>

namespace examples {

/// The project's own documentation, tutorials and headers of layers, one after the other: a text to learn from
/// that is always at hand. Throws FileError with a hint where the sources are not there.
std::string project_text();

}  // namespace examples
