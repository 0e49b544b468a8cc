#include "support/example.h"

EXAMPLE(etude::linear_cross_entropy, etude::nn::functional::linear_cross_entropy) {
  const Tensor x = etude::tensor({{1.0, 0.0}}), weight = etude::tensor({{0.0, 9.0}, {0.0, 9.0}}),
               target = etude::tensor({0});
  print(F::linear_cross_entropy(x, weight, target));
  print(etude::linear_cross_entropy(x, weight, target));
}
