#pragma once

#include <string>
#include <vector>

namespace tutorials {

/// A diagram of docs/adding_a_lesson.md in characters, at most `width` places wide: rounded boxes are things, square ones
/// operations. Where its boxes have no room, or lines could not be told apart, a line of text for each box says where its
/// arrows lead. Throws std::invalid_argument, which says what is wrong in which line.
std::string diagram_in_characters(const std::vector<std::string>& lines, size_t width);

}  // namespace tutorials
