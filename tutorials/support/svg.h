#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tutorials {

/// One line of a plot: a value per x.
struct Series {
  std::string name;
  std::vector<double> y;
};

enum class Scale {
  linear,
  powers_of_two,  // a doubling is everywhere as wide; ticks at 1, 2, 4, 8
};

/// Lines over common x values. Values that are not finite leave a gap.
struct LinePlot {
  std::string title;
  std::string description;  // for readers who do not see the picture
  std::string x_label;
  std::string y_label;
  std::vector<double> x;
  std::vector<Series> series;
  Scale x_scale = Scale::linear;
};

enum class Colours {
  diverging,   // from blue through white at zero to red: values of both signs
  sequential,  // from dark to light
};

/// A matrix of coloured cells; row 0 is at the top. Values that are not finite are grey. Up to
/// eight rows and columns show their numbers.
struct HeatMap {
  std::string title;
  std::string description;
  std::string x_label;
  std::string y_label;
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;                  // row by row
  std::vector<std::string> row_names = {};     // one per row, in place of its number
  std::vector<std::string> column_names = {};  // one per column
  Colours colours = Colours::diverging;
  std::optional<std::array<double, 2>> range = {};  // of the colours, in place of the values'
};

/// Several plots in one picture, row by row.
struct Subplots {
  std::string title;
  std::string description;
  std::vector<std::variant<LinePlot, HeatMap>> plots;
  int columns = 2;
};

/// The picture as a self-contained SVG document, in light or dark colours as the reader's system
/// asks. The same plot gives the same bytes. Throws std::invalid_argument if lengths do not fit
/// together, and if a scale of powers of two is to hold what is not positive.
std::string draw(const LinePlot& plot);
std::string draw(const HeatMap& map);
std::string draw(const Subplots& plots);

}  // namespace tutorials
