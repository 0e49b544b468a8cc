#pragma once

#include <etude/framework.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tutorials/support/svg.h"

namespace examples {

using tutorials::HeatMap;

/// One line of a picture, with x values of its own, in rising order.
struct Curve {
  std::string name;
  std::vector<double> x = {}, y = {};
  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

/// The points of a curve, to be saved: [points, 2]. And back.
etude::Tensor to_tensor(const Curve& curve);
void from_tensor(const etude::Tensor& points, Curve& curve);

/// Draws losses over steps into an SVG file. A curve of very many points is drawn through the means of
/// neighbours. Throws FileError.
void save_loss_curves(const std::filesystem::path& path, const std::string& title,
                      const std::vector<Curve>& curves);

/// The same over something else than steps.
void save_loss_curves(const std::filesystem::path& path, const std::string& title, const std::string& x_label,
                      const std::vector<Curve>& curves);

/// Draws a heat map into an SVG file. Throws FileError.
void save_heat_map(const std::filesystem::path& path, const HeatMap& map);

}  // namespace examples
