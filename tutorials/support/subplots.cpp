#include <algorithm>
#include <stdexcept>

#include "support/character_plot.h"
#include "support/svg.h"
#include "support/svg_canvas.h"

namespace tutorials {

std::string draw(const Subplots& all) {
  if (all.columns < 1) throw std::invalid_argument("subplots need at least one column");
  Canvas canvas;
  canvas.text("title", 24, 27, all.title);
  const double width = kWidth / all.columns;
  double top = 34, lowest = top;
  for (size_t i = 0; i < all.plots.size(); ++i) {
    const size_t column = i % static_cast<size_t>(all.columns);
    if (column == 0) top = lowest;
    const auto draw_one = [&](const auto& plot) {
      return draw_at(canvas, plot, static_cast<double>(column) * width, top, width);
    };
    lowest = std::max(lowest, top + std::visit(draw_one, all.plots[i]));
  }
  return kept_drawing(all, canvas.str(kWidth, lowest, all.title, all.description));
}

}  // namespace tutorials
