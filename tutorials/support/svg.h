#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tutorials {

/// One line of a plot: a value per x.
struct Series {
  std::string name;
  std::vector<double> y;
};

/// Lines over common x values. Values that are not finite leave a gap.
struct LinePlot {
  std::string title;
  std::string description;  // for readers who do not see the picture
  std::string x_label;
  std::string y_label;
  std::vector<double> x;
  std::vector<Series> series;
};

enum class Colours {
  diverging,   // from blue through white at zero to red: values of both signs
  sequential,  // from dark to light
};

/// A matrix of coloured cells; row 0 is at the top. Values that are not finite are grey.
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
};

/// The picture as a self-contained SVG document, in light or dark colours as the reader's system
/// asks. The same plot gives the same bytes. Throws std::invalid_argument if lengths do not fit
/// together.
std::string draw(const LinePlot& plot);
std::string draw(const HeatMap& map);

}  // namespace tutorials
