// Positional encoding: sines and cosines
#include <etude/etude.h>
#include <cmath>

#include "parameter.h"

using etude::print;

int main() {
  const int64_t positions = parameter("positions", 6, 1, 40), width = 2 * parameter("pairs", 3, 1, 16);
  const double base = parameter("base", 10000.0, 2.0, 100000.0);

  // Each pair of columns turns more slowly than the one before.
  const etude::Tensor rates = etude::exp(etude::arange(0, width, 2).to(etude::kFloat) *
                                         (-std::log(base) / static_cast<double>(width)));
  const etude::Tensor angles = etude::arange(positions).to(etude::kFloat).unsqueeze(1) * rates;
  const etude::Tensor table =
      etude::stack({etude::sin(angles), etude::cos(angles)}, 2).view({positions, width});
  print(table);

  // The product of two positions hangs on their distance alone: all numbers along a diagonal are the same.
  print(etude::matmul(table, table.t()));
  return 0;
}
