#pragma once

#include <etude/framework.h>

#include <string>
#include <vector>

namespace examples {

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

}  // namespace examples
