#pragma once

#include <etude/framework.h>

#include <string>
#include <vector>

namespace examples {

/// One line of a picture, with its own x values in rising order.
struct Curve {
  std::string name;
  std::vector<double> x = {}, y = {};
  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

/// Convert a curve to a tensor [points, 2] for saving, and back.
etude::Tensor to_tensor(const Curve& curve);
void from_tensor(const etude::Tensor& points, Curve& curve);

}  // namespace examples
