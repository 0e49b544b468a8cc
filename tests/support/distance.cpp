#include "support/distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace etude {

double golden_distance(const Tensor& found, const Tensor& expected) {
  const double never = std::numeric_limits<double>::infinity();
  if (!found.defined() || found.sizes() != expected.sizes() || found.scalar_type() != expected.scalar_type())
    return never;
  const Tensor a = found.detach().to(kDouble).contiguous(), b = expected.detach().to(kDouble).contiguous();
  double largest = 0;
  for (int64_t i = 0; i < a.numel(); ++i) {
    const double x = a.data_ptr<double>()[i], y = b.data_ptr<double>()[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (!std::isfinite(x) || !std::isfinite(y)) return never;
    largest = std::max(largest, std::fabs(x - y) / std::max(1.0, std::fabs(y)));
  }
  return largest;
}

bool same(const Tensor& a, const Tensor& b) { return golden_distance(a, b) == 0; }

}  // namespace etude
