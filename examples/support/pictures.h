#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/curve.h"
#include "tutorials/support/svg.h"

namespace examples {

using tutorials::HeatMap;

/// Draws losses over steps into an SVG file. A curve of very many points is drawn through means of neighbouring
/// points. Throws FileError.
void save_loss_curves(const std::filesystem::path& path, const std::string& title,
                      const std::vector<Curve>& curves);

/// The same with another x axis than steps.
void save_loss_curves(const std::filesystem::path& path, const std::string& title, const std::string& x_label,
                      const std::vector<Curve>& curves);

/// Draws a heat map into an SVG file. Throws FileError.
void save_heat_map(const std::filesystem::path& path, const HeatMap& map);

}  // namespace examples
