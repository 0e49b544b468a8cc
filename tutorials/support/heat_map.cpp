#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "support/character_plot.h"
#include "support/svg.h"
#include "support/svg_canvas.h"

namespace tutorials {
namespace {

constexpr int kLevels = 65;  // colours that a map can show; odd, so that zero has one of its own
constexpr int kNumbered = 8;  // most rows and columns that show their numbers
constexpr double kTop = 46, kBarWidth = 18, kBarSpace = 96;

using Colour = std::array<int, 3>;

/// Colours at even distances, blended between.
std::string blend(const std::vector<Colour>& stops, double t) {
  const double place = std::clamp(t, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const size_t below = std::min(static_cast<size_t>(place), stops.size() - 2);
  const double part = place - static_cast<double>(below);
  static const char digits[] = "0123456789abcdef";
  std::string hex = "#";
  for (size_t i = 0; i < 3; ++i) {
    const double v = stops[below][i] + part * (stops[below + 1][i] - stops[below][i]);
    const int byte = static_cast<int>(std::lround(v));
    hex += digits[byte / 16];
    hex += digits[byte % 16];
  }
  return hex;
}

/// A colour's brightness for the eye, from 0 to 1 (ITU-R BT.709, without its gamma).
double brightness(const std::string& hex) {
  const auto part = [&](size_t at) { return std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0; };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
}

std::string colour_of(Colours colours, int level) {
  static const std::vector<Colour> blue_white_red{
      {8, 48, 107},    {49, 117, 181}, {146, 197, 222}, {247, 247, 247},
      {244, 165, 130}, {202, 70, 62},  {103, 0, 31}};
  static const std::vector<Colour> dark_to_light{{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                                                 {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};
  const double t = static_cast<double>(level) / (kLevels - 1);
  return blend(colours == Colours::diverging ? blue_white_red : dark_to_light, t);
}

}  // namespace

Range colour_range(const HeatMap& map) {
  if (map.range) return {(*map.range)[0], (*map.range)[1]};
  const Range range = range_of(map.values);
  if (map.colours == Colours::sequential) return range;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return {-largest, largest};
}

namespace {

int level_of(double value, const Range& range) {
  const double t = (value - range.low) / range.size();
  return static_cast<int>(std::lround(std::clamp(t, 0.0, 1.0) * (kLevels - 1)));
}

/// One path per colour, in units of cells; neighbours of one colour in a row are one rectangle.
std::map<int, std::string> paths_by_level(const HeatMap& map, const Range& range) {
  const int missing = -1;
  const auto level_at = [&](int64_t row, int64_t column) {
    const double v = map.values[static_cast<size_t>(row * map.columns + column)];
    return std::isfinite(v) ? level_of(v, range) : missing;
  };
  std::map<int, std::string> paths;
  for (int64_t row = 0; row < map.rows; ++row) {
    for (int64_t start = 0, end = 0; start < map.columns; start = end) {
      const int level = level_at(row, start);
      while (end < map.columns && level_at(row, end) == level) ++end;
      const std::string run = std::to_string(end - start);
      paths[level] += "M" + std::to_string(start) + " " + std::to_string(row) + "h" + run +
                      "v1h-" + run + "z";
    }
  }
  return paths;
}

/// Colours with white among them, which dark pages dim, have a class.
std::string group_of_colours(const HeatMap& map, const std::string& attributes = "") {
  const bool diverging = map.colours == Colours::diverging;
  return std::string("<g") + (diverging ? " class=\"diverging\"" : "") +
         " shape-rendering=\"crispEdges\"" + attributes + ">";
}

void draw_cells(Canvas& canvas, const HeatMap& map, const Box& box, const Range& range) {
  if (map.rows == 0 || map.columns == 0) return;
  canvas.add(group_of_colours(
      map, " transform=\"translate(" + coordinate(box.left) + " " + coordinate(box.top) +
               ") scale(" + std::to_string(box.width / static_cast<double>(map.columns)) + " " +
               std::to_string(box.height / static_cast<double>(map.rows)) + ")\""));
  for (const auto& [level, path] : paths_by_level(map, range)) {
    const std::string fill =
        level < 0 ? "class=\"missing\"" : "fill=\"" + colour_of(map.colours, level) + "\"";
    canvas.add("<path " + fill + " d=\"" + path + "\"/>");
  }
  canvas.add("</g>");
}

/// The numbers of a small matrix in its cells.
void draw_numbers(Canvas& canvas, const HeatMap& map, const Box& box, const Range& range) {
  if (map.rows > kNumbered || map.columns > kNumbered) return;
  const bool whole = std::all_of(map.values.begin(), map.values.end(), [](double v) {
    return v == std::round(v) && std::abs(v) < 1e4;
  });
  const double cell = box.width / static_cast<double>(map.columns),
               line = box.height / static_cast<double>(map.rows);
  for (size_t i = 0; i < map.values.size(); ++i) {
    const std::string label = number_label(map.values[i], whole ? 0 : 2);
    if (!std::isfinite(map.values[i]) || text_width(label, 14) + 6 > cell || line < 18) continue;
    const auto row = static_cast<double>(static_cast<int64_t>(i) / map.columns),
               column = static_cast<double>(static_cast<int64_t>(i) % map.columns);
    const bool dark = brightness(colour_of(map.colours, level_of(map.values[i], range))) < 0.45;
    canvas.text(dark ? "middle on-dark" : "middle on-light", box.left + (column + 0.5) * cell,
                box.top + (row + 0.5) * line + 5, label);
  }
}

/// Names, or round numbers, at the middle of rows or columns; places in cells. Of more than fit
/// every second, third ... is left.
std::vector<Tick> ticks_of(int64_t count, const std::vector<std::string>& names, double length,
                           double apart) {
  const int wanted = std::max(1, static_cast<int>(length / apart));
  std::vector<Tick> ticks;
  if (names.empty()) {
    for (double v : round_ticks({0, static_cast<double>(count - 1)}, std::min(wanted, 10)))
      if (v == std::round(v)) ticks.push_back({v + 0.5, tick_label(v, 1)});
    return ticks;
  }
  const size_t step =
      (names.size() + static_cast<size_t>(wanted) - 1) / static_cast<size_t>(wanted);
  for (size_t i = 0; i < names.size(); i += step)
    ticks.push_back({static_cast<double>(i) + 0.5, names[i]});
  return ticks;
}

/// Whether the labels fit below their columns, or have to stand upright.
bool stand_upright(const std::vector<Tick>& ticks, double width, int64_t columns) {
  if (ticks.size() < 2) return false;
  const double room = (ticks[1].place - ticks[0].place) * width / static_cast<double>(columns);
  return std::any_of(ticks.begin(), ticks.end(),
                     [&](const Tick& t) { return text_width(t.label, 14) + 6 > room; });
}

/// Returns the height of the labels below.
double draw_ticks(Canvas& canvas, const HeatMap& map, const Box& box,
                  const std::vector<Tick>& row_ticks) {
  if (map.rows == 0 || map.columns == 0) return 21;
  const std::vector<Tick> ticks =
      ticks_of(map.columns, map.column_names, box.width, map.column_names.empty() ? 45 : 17);
  const bool upright = stand_upright(ticks, box.width, map.columns);
  double deepest = 21;
  for (const Tick& tick : ticks) {
    const double at = box.left + tick.place / static_cast<double>(map.columns) * box.width;
    canvas.line("axis", at, box.bottom(), at, box.bottom() + 5);
    if (upright) {
      canvas.upward_text("tick end", at + 5, box.bottom() + 9, tick.label);
      deepest = std::max(deepest, text_width(tick.label, 14) + 9);
    } else {
      canvas.text("tick middle", at, box.bottom() + 21, tick.label);
    }
  }
  for (const Tick& tick : row_ticks) {
    const double at = box.top + tick.place / static_cast<double>(map.rows) * box.height;
    canvas.line("axis", box.left - 5, at, box.left, at);
    canvas.text("tick end", box.left - 8, at + 5, tick.label);
  }
  return deepest;
}

void draw_colour_bar(Canvas& canvas, const HeatMap& map, const Box& box, const Range& range) {
  const double left = box.right() + 24, step = box.height / kLevels;
  canvas.add(group_of_colours(map));
  for (int level = 0; level < kLevels; ++level) {
    canvas.add("<rect x=\"" + coordinate(left) + "\" y=\"" +
               coordinate(box.bottom() - (level + 1) * step) + "\" width=\"" +
               coordinate(kBarWidth) + "\" height=\"" + coordinate(step + 0.5) + "\" fill=\"" +
               colour_of(map.colours, level) + "\"/>");
  }
  canvas.add("</g>");
  const std::vector<double> ticks = round_ticks(range, 5);
  for (double v : ticks) {
    const double at = box.bottom() - (v - range.low) / range.size() * box.height;
    canvas.line("axis", left + kBarWidth, at, left + kBarWidth + 5, at);
    canvas.text("tick", left + kBarWidth + 9, at + 5,
                tick_label(v, ticks.size() > 1 ? ticks[1] - ticks[0] : 1));
  }
}

/// Cells as near to squares as a picture of a sensible height allows.
double height_of(const HeatMap& map, double width) {
  if (map.rows == 0 || map.columns == 0) return 200;
  return std::clamp(width * static_cast<double>(map.rows) / static_cast<double>(map.columns),
                    160.0, 460.0);
}

void check(const HeatMap& map) {
  if (map.rows < 0 || map.columns < 0 ||
      map.values.size() != static_cast<size_t>(map.rows * map.columns)) {
    throw std::invalid_argument("a heat map needs rows * columns values");
  }
  const auto fits = [](const std::vector<std::string>& names, int64_t count) {
    return names.empty() || names.size() == static_cast<size_t>(count);
  };
  if (!fits(map.row_names, map.rows) || !fits(map.column_names, map.columns))
    throw std::invalid_argument("a heat map needs a name for each row and column, or none");
  if (map.range && !((*map.range)[0] < (*map.range)[1]))
    throw std::invalid_argument("a heat map's range has to begin below its end");
}

}  // namespace

double draw_at(Canvas& canvas, const HeatMap& map, double left, double top, double width) {
  check(map);
  // The labels' width decides on the room, which decides on the height and so on their number.
  const double margin = left_margin(ticks_of(map.rows, map.row_names, 1e9, 1)),
               room = width - margin - kBarSpace, height = height_of(map, room);
  const std::vector<Tick> row_ticks =
      ticks_of(map.rows, map.row_names, height, map.row_names.empty() ? 45 : 17);
  const bool square = map.rows == map.columns && map.rows > 0;
  const Box box{left + margin, top + kTop, square ? std::min(height, room) : room, height};
  canvas.text(width < 500 ? "subtitle" : "title", box.left, top + 27, map.title);
  const Range range = colour_range(map);
  draw_cells(canvas, map, box, range);
  draw_numbers(canvas, map, box, range);
  canvas.add("<rect class=\"axis\" x=\"" + coordinate(box.left) + "\" y=\"" +
             coordinate(box.top) + "\" width=\"" + coordinate(box.width) + "\" height=\"" +
             coordinate(box.height) + "\"/>");
  const double below = box.bottom() + draw_ticks(canvas, map, box, row_ticks);
  canvas.text("middle", box.left + box.width / 2, below + 23, map.x_label);
  canvas.upward_text("middle", left + 18, box.top + box.height / 2, map.y_label);
  draw_colour_bar(canvas, map, box, range);
  if (map.values.empty())
    canvas.text("middle", box.left + box.width / 2, box.top + box.height / 2, "nothing to show");
  return below + 37 - top;
}

std::string draw(const HeatMap& map) {
  Canvas canvas;
  const double height = draw_at(canvas, map, 0, 0, kWidth);
  return kept_drawing(map, canvas.str(kWidth, height, map.title, map.description));
}

}  // namespace tutorials
