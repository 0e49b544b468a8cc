#include "support/pictures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tutorials/support/files.h"

namespace examples {
namespace {

constexpr size_t kMostPoints = 100;

double mean_of(const std::vector<double>& values, size_t begin, size_t end) {
  const auto at = [&](size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::accumulate(at(begin), at(end), 0.0) / static_cast<double>(end - begin);
}

Curve thinned(const Curve& curve) {
  const size_t points = curve.x.size();
  if (points <= kMostPoints) return curve;
  Curve thin{curve.name};
  for (size_t i = 0; i < kMostPoints; ++i) {
    const size_t begin = i * points / kMostPoints, end = (i + 1) * points / kMostPoints;
    thin.add(mean_of(curve.x, begin, end), mean_of(curve.y, begin, end));
  }
  return thin;
}

// Linear interpolation between the two points around x; nan outside of the curve.
double value_at(const Curve& curve, double x) {
  const auto after = std::lower_bound(curve.x.begin(), curve.x.end(), x);
  if (after == curve.x.end()) return std::numeric_limits<double>::quiet_NaN();
  const auto i = static_cast<size_t>(after - curve.x.begin());
  if (*after == x) return curve.y[i];
  if (i == 0) return std::numeric_limits<double>::quiet_NaN();
  const double part = (x - curve.x[i - 1]) / (curve.x[i] - curve.x[i - 1]);
  return curve.y[i - 1] + part * (curve.y[i] - curve.y[i - 1]);
}

}  // namespace

void save_loss_curves(const std::filesystem::path& path, const std::string& title, const std::string& x_label,
                      const std::vector<Curve>& curves) {
  tutorials::LinePlot plot;
  plot.title = title;
  plot.description = "Losses over: " + x_label + ".";
  plot.x_label = x_label;
  plot.y_label = "loss";
  std::vector<Curve> thin;
  for (const Curve& curve : curves) {
    thin.push_back(thinned(curve));
    plot.x.insert(plot.x.end(), thin.back().x.begin(), thin.back().x.end());
  }
  std::sort(plot.x.begin(), plot.x.end());
  plot.x.erase(std::unique(plot.x.begin(), plot.x.end()), plot.x.end());
  for (const Curve& curve : thin) {
    tutorials::Series series{curve.name, {}};
    for (const double x : plot.x) series.y.push_back(value_at(curve, x));
    plot.series.push_back(series);
  }
  tutorials::write_file(path, tutorials::draw(plot));
}

void save_loss_curves(const std::filesystem::path& path, const std::string& title,
                      const std::vector<Curve>& curves) {
  save_loss_curves(path, title, "step", curves);
}

void save_heat_map(const std::filesystem::path& path, const HeatMap& map) {
  tutorials::write_file(path, tutorials::draw(map));
}

}  // namespace examples
