#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/character_plot.h"
#include "support/svg.h"
#include "support/svg_canvas.h"

namespace tutorials {
namespace {

constexpr int kStyles = 6;  // classes s0 .. s5
constexpr double kRight = 18, kLegendLine = 22;

struct LegendItem {
  double x, y;
};

/// Where the legend's samples begin, seen from the first; a new row where the width asks for it.
std::vector<LegendItem> place_legend(const std::vector<Series>& series, double width) {
  std::vector<LegendItem> items;
  double x = 0, y = 0;
  for (const Series& s : series) {
    const double needed = 44 + text_width(s.name, 15);
    if (x > 0 && x + needed > width) {
      x = 0;
      y += kLegendLine;
    }
    items.push_back({x, y});
    x += needed + 22;
  }
  return items;
}

std::vector<Tick> labelled(const std::vector<double>& values) {
  std::vector<Tick> ticks;
  const double step = values.size() > 1 ? values[1] - values[0] : 1;
  for (double v : values) ticks.push_back({v, tick_label(v, step)});
  return ticks;
}

/// Powers of two inside a range of logarithms, at most `count` of them.
std::vector<Tick> doubling_ticks(const Range& range, int count) {
  const int first = static_cast<int>(std::ceil(range.low)),
            last = static_cast<int>(std::floor(range.high)),
            step = std::max(1, (last - first + count) / std::max(count, 1));
  std::vector<Tick> ticks;
  for (int power = first; power <= last; power += step) {
    const double v = std::exp2(power);
    ticks.push_back(
        {static_cast<double>(power), v < 1 ? "1/" + tick_label(1 / v, 1) : tick_label(v, 1)});
  }
  return ticks;
}

/// As many as their labels leave room for.
std::vector<Tick> x_ticks(const Range& range, Scale scale, double width) {
  for (int count = 10;; --count) {
    std::vector<Tick> ticks = scale == Scale::linear ? labelled(round_ticks(range, count))
                                                     : doubling_ticks(range, count);
    double needed = 0;
    for (const Tick& tick : ticks) needed += text_width(tick.label, 14) + 14;
    if (needed <= width || count <= 1) return ticks;
  }
}

/// The same with room at both ends, so that no curve touches the frame.
Range widened(const Range& range) {
  return {range.low - 0.04 * range.size(), range.high + 0.04 * range.size()};
}

/// A plot's box, and how its values lie in it.
struct Axes {
  Box box;
  Range x, y;
  double right_of(double v) const { return box.left + (v - x.low) / x.size() * box.width; }
  double down_to(double v) const { return box.bottom() - (v - y.low) / y.size() * box.height; }
};

void draw_axes(Canvas& canvas, const Axes& axes, const std::vector<Tick>& across,
               const std::vector<Tick>& up) {
  const Box& box = axes.box;
  for (const Tick& tick : up) {
    const double at = axes.down_to(tick.place);
    canvas.line("grid", box.left, at, box.right(), at);
    canvas.text("tick end", box.left - 8, at + 5, tick.label);
  }
  for (const Tick& tick : across) {
    const double at = axes.right_of(tick.place);
    canvas.line("grid", at, box.top, at, box.bottom());
    canvas.line("axis", at, box.bottom(), at, box.bottom() + 5);
    canvas.text("tick middle", at, box.bottom() + 21, tick.label);
  }
  canvas.line("axis", box.left, box.bottom(), box.right(), box.bottom());
  canvas.line("axis", box.left, box.top, box.left, box.bottom());
}

std::string path_of(const std::vector<double>& x, const std::vector<double>& y,
                    const Axes& axes) {
  std::string path;
  bool pen_down = false;
  for (size_t i = 0; i < y.size(); ++i) {
    if (!std::isfinite(y[i]) || !std::isfinite(x[i])) {
      pen_down = false;
      continue;
    }
    path += pen_down ? "L" : "M";
    path += coordinate(axes.right_of(x[i])) + " " + coordinate(axes.down_to(y[i]));
    pen_down = true;
  }
  return path;
}

std::string style_of(size_t series) { return "curve s" + std::to_string(series % kStyles); }

/// The x values as they lie on the axis. Throws std::invalid_argument where they cannot.
std::vector<double> on_axis(const LinePlot& plot) {
  std::vector<double> x = plot.x;
  if (plot.x_scale == Scale::linear) return x;
  for (double& v : x) {
    if (v <= 0)
      throw std::invalid_argument("a scale of powers of two has no place for " + coordinate(v));
    v = std::log2(v);
  }
  return x;
}

std::vector<double> all_values(const LinePlot& plot) {
  std::vector<double> all;
  for (const Series& s : plot.series) {
    if (s.y.size() != plot.x.size())
      throw std::invalid_argument("line '" + s.name + "' has not one value per x");
    all.insert(all.end(), s.y.begin(), s.y.end());
  }
  return all;
}

}  // namespace

double draw_at(Canvas& canvas, const LinePlot& plot, double left, double top, double width) {
  const Range y = widened(range_of(all_values(plot)));
  const std::vector<double> xs = on_axis(plot);
  const Range x = widened(range_of(xs));
  const std::vector<Tick> up = labelled(round_ticks(y, 5));
  const double margin = left_margin(up), room = width - margin - kRight;
  const std::vector<LegendItem> legend = place_legend(plot.series, room);
  const double first = top + 54,
               below = legend.empty() ? top + 40 : first + legend.back().y + 18;
  const Axes axes{{left + margin, below, room, width < 500 ? 200.0 : 260.0}, x, y};
  draw_axes(canvas, axes, x_ticks(x, plot.x_scale, room), up);
  canvas.text(width < 500 ? "subtitle" : "title", axes.box.left, top + 27, plot.title);
  canvas.text("middle", axes.box.left + room / 2, axes.box.bottom() + 44, plot.x_label);
  canvas.upward_text("middle", left + 18, axes.box.top + axes.box.height / 2, plot.y_label);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const double sample = axes.box.left + legend[i].x, line = first + legend[i].y;
    canvas.add("<path class=\"" + style_of(i) + "\" d=\"" + path_of(xs, plot.series[i].y, axes) +
               "\"/>");
    canvas.line(style_of(i), sample, line - 5, sample + 36, line - 5);
    canvas.text("label", sample + 44, line, plot.series[i].name);
  }
  return axes.box.bottom() + 58 - top;
}

std::string draw(const LinePlot& plot) {
  Canvas canvas;
  const double height = draw_at(canvas, plot, 0, 0, kWidth);
  return kept_drawing(plot, canvas.str(kWidth, height, plot.title, plot.description));
}

}  // namespace tutorials
