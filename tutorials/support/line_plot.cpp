#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/svg.h"
#include "support/svg_canvas.h"

namespace tutorials {
namespace {

constexpr int kStyles = 6;  // classes s0 .. s5
constexpr double kPlotHeight = 260, kRight = 18;

struct LegendItem {
  double x, y;
};

/// Left ends of the legend's samples, broken into rows where the width asks for it.
std::vector<LegendItem> place_legend(const std::vector<Series>& series, double top) {
  std::vector<LegendItem> items;
  double x = kLeft, y = top;
  for (const Series& s : series) {
    const double needed = 44 + 8.5 * static_cast<double>(s.name.size()) + 22;
    if (x > kLeft && x + needed > kWidth - kRight + 22) {
      x = kLeft;
      y += 22;
    }
    items.push_back({x, y});
    x += needed;
  }
  return items;
}

void draw_axes(Canvas& canvas, const Box& box, const Range& x, const Range& y) {
  const auto step = [](const std::vector<double>& ticks) {
    return ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  };
  const std::vector<double> x_ticks = round_ticks(x, 10), y_ticks = round_ticks(y, 5);
  for (double v : y_ticks) {
    const double at = box.bottom() - (v - y.low) / y.size() * box.height;
    canvas.line("grid", box.left, at, box.right(), at);
    canvas.text("tick end", box.left - 8, at + 5, tick_label(v, step(y_ticks)));
  }
  for (double v : x_ticks) {
    const double at = box.left + (v - x.low) / x.size() * box.width;
    canvas.line("grid", at, box.top, at, box.bottom());
    canvas.line("axis", at, box.bottom(), at, box.bottom() + 5);
    canvas.text("tick middle", at, box.bottom() + 21, tick_label(v, step(x_ticks)));
  }
  canvas.line("axis", box.left, box.bottom(), box.right(), box.bottom());
  canvas.line("axis", box.left, box.top, box.left, box.bottom());
}

std::string path_of(const LinePlot& plot, const Series& s, const Box& box, const Range& x,
                    const Range& y) {
  std::string path;
  bool pen_down = false;
  for (size_t i = 0; i < s.y.size(); ++i) {
    if (!std::isfinite(s.y[i]) || !std::isfinite(plot.x[i])) {
      pen_down = false;
      continue;
    }
    path += pen_down ? "L" : "M";
    path += coordinate(box.left + (plot.x[i] - x.low) / x.size() * box.width) + " " +
            coordinate(box.bottom() - (s.y[i] - y.low) / y.size() * box.height);
    pen_down = true;
  }
  return path;
}

std::string style_of(size_t series) { return "curve s" + std::to_string(series % kStyles); }

}  // namespace

std::string draw(const LinePlot& plot) {
  std::vector<double> all;
  for (const Series& s : plot.series) {
    if (s.y.size() != plot.x.size())
      throw std::invalid_argument("line '" + s.name + "' has not one value per x");
    all.insert(all.end(), s.y.begin(), s.y.end());
  }
  const std::vector<LegendItem> legend = place_legend(plot.series, 54);
  const Box box{kLeft, (legend.empty() ? 40 : legend.back().y + 18), kWidth - kLeft - kRight,
                kPlotHeight};
  Canvas canvas(kWidth, box.bottom() + 58, plot.title, plot.description);
  canvas.title_at(kLeft, 27);
  const Range x = range_of(plot.x), tight = range_of(all);
  const Range y{tight.low - 0.04 * tight.size(), tight.high + 0.04 * tight.size()};
  draw_axes(canvas, box, x, y);
  canvas.axis_labels(box, plot.x_label, plot.y_label);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    canvas.add("<path class=\"" + style_of(i) + "\" d=\"" +
               path_of(plot, plot.series[i], box, x, y) + "\"/>");
    canvas.line(style_of(i), legend[i].x, legend[i].y - 5, legend[i].x + 36, legend[i].y - 5);
    canvas.text("label", legend[i].x + 44, legend[i].y, plot.series[i].name);
  }
  return canvas.str();
}

}  // namespace tutorials
