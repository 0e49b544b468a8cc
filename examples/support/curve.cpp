#include "support/curve.h"

namespace examples {

etude::Tensor to_tensor(const Curve& curve) {
  return etude::stack({etude::tensor(curve.x, etude::kDouble), etude::tensor(curve.y, etude::kDouble)}, 1);
}

void from_tensor(const etude::Tensor& points, Curve& curve) {
  curve = {curve.name};
  for (int64_t i = 0; i < points.size(0); ++i)
    curve.add(points[i][0].item<double>(), points[i][1].item<double>());
}

}  // namespace examples
