#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "support/svg.h"
#include "support/svg_canvas.h"

namespace tutorials {
namespace {

constexpr int kLevels = 65;  // colours that a map can show; odd, so that zero has one of its own
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

std::string colour_of(Colours colours, int level) {
  static const std::vector<Colour> blue_white_red{
      {8, 48, 107},    {49, 117, 181}, {146, 197, 222}, {247, 247, 247},
      {244, 165, 130}, {202, 70, 62},  {103, 0, 31}};
  static const std::vector<Colour> dark_to_light{{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                                                 {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};
  const double t = static_cast<double>(level) / (kLevels - 1);
  return blend(colours == Colours::diverging ? blue_white_red : dark_to_light, t);
}

Range colour_range(const HeatMap& map) {
  const Range range = range_of(map.values);
  if (map.colours == Colours::sequential) return range;
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  return {-largest, largest};
}

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

void draw_cells(Canvas& canvas, const HeatMap& map, const Box& box, const Range& range) {
  if (map.rows == 0 || map.columns == 0) return;
  canvas.add("<g shape-rendering=\"crispEdges\" transform=\"translate(" + coordinate(box.left) +
             " " + coordinate(box.top) + ") scale(" +
             std::to_string(box.width / static_cast<double>(map.columns)) + " " +
             std::to_string(box.height / static_cast<double>(map.rows)) + ")\">");
  for (const auto& [level, path] : paths_by_level(map, range)) {
    const std::string fill =
        level < 0 ? "class=\"missing\"" : "fill=\"" + colour_of(map.colours, level) + "\"";
    canvas.add("<path " + fill + " d=\"" + path + "\"/>");
  }
  canvas.add("</g>");
}

struct Tick {
  double place;  // in cells
  std::string label;
};

/// Names, or round numbers, at the middle of rows or columns.
std::vector<Tick> ticks_of(int64_t count, const std::vector<std::string>& names, int wanted) {
  std::vector<Tick> ticks;
  for (size_t i = 0; i < names.size(); ++i)
    ticks.push_back({static_cast<double>(i) + 0.5, names[i]});
  if (!names.empty()) return ticks;
  for (double v : round_ticks({0, static_cast<double>(count - 1)}, wanted))
    if (v == std::round(v)) ticks.push_back({v + 0.5, tick_label(v, 1)});
  return ticks;
}

void draw_ticks(Canvas& canvas, const HeatMap& map, const Box& box) {
  if (map.rows == 0 || map.columns == 0) return;
  for (const Tick& tick : ticks_of(map.columns, map.column_names, 10)) {
    const double at = box.left + tick.place / static_cast<double>(map.columns) * box.width;
    canvas.line("axis", at, box.bottom(), at, box.bottom() + 5);
    canvas.text("tick middle", at, box.bottom() + 21, tick.label);
  }
  for (const Tick& tick : ticks_of(map.rows, map.row_names, static_cast<int>(box.height / 45))) {
    const double at = box.top + tick.place / static_cast<double>(map.rows) * box.height;
    canvas.line("axis", box.left - 5, at, box.left, at);
    canvas.text("tick end", box.left - 8, at + 5, tick.label);
  }
}

void draw_colour_bar(Canvas& canvas, const HeatMap& map, const Box& box, const Range& range) {
  const double left = box.right() + 24, step = box.height / kLevels;
  canvas.add("<g shape-rendering=\"crispEdges\">");
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

}  // namespace

std::string draw(const HeatMap& map) {
  if (map.rows < 0 || map.columns < 0 ||
      map.values.size() != static_cast<size_t>(map.rows * map.columns)) {
    throw std::invalid_argument("a heat map needs rows * columns values");
  }
  const auto fits = [](const std::vector<std::string>& names, int64_t count) {
    return names.empty() || names.size() == static_cast<size_t>(count);
  };
  if (!fits(map.row_names, map.rows) || !fits(map.column_names, map.columns))
    throw std::invalid_argument("a heat map needs a name for each row and column, or none");
  const double room = kWidth - kLeft - kBarSpace;
  const double height = height_of(map, room);
  const bool square = map.rows == map.columns && map.rows > 0;
  const Box box{kLeft, kTop, square ? height : room, height};
  Canvas canvas(box.right() + kBarSpace, box.bottom() + 58, map.title, map.description);
  canvas.title_at(kLeft, 27);
  const Range range = colour_range(map);
  draw_cells(canvas, map, box, range);
  canvas.add("<rect class=\"axis\" x=\"" + coordinate(box.left) + "\" y=\"" +
             coordinate(box.top) + "\" width=\"" + coordinate(box.width) + "\" height=\"" +
             coordinate(box.height) + "\"/>");
  draw_ticks(canvas, map, box);
  canvas.axis_labels(box, map.x_label, map.y_label);
  draw_colour_bar(canvas, map, box, range);
  if (map.values.empty())
    canvas.text("middle", box.left + box.width / 2, box.top + box.height / 2, "nothing to show");
  return canvas.str();
}

}  // namespace tutorials
