#pragma once

#include <string>

#include "support/svg.h"

namespace tutorials {

/// A plot in characters, `width` places wide: lines of dots in braille, cells as blocks of four
/// shades.
std::string in_characters(const LinePlot& plot, size_t width);
std::string in_characters(const HeatMap& map, size_t width);
std::string in_characters(const Subplots& all, size_t width);

/// From now on what `draw` draws is kept in characters, too.
void keep_characters(size_t width);
/// The picture as it is, after its characters were kept.
std::string kept_drawing(const LinePlot& plot, std::string svg);
std::string kept_drawing(const HeatMap& map, std::string svg);
std::string kept_drawing(const Subplots& all, std::string svg);
/// The characters of a picture that was drawn since; empty for another.
std::string characters_of(const std::string& svg);

}  // namespace tutorials
