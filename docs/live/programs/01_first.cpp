// The README's program: a model, its output, a gradient
#include <etude/etude.h>

#include "parameter.h"

namespace nn = etude::nn;
using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const int64_t width = parameter("width", 4, 1, 16);
  nn::Sequential model{nn::Embedding(5, width), nn::Linear(width, 2)};  // braces: built from left to right
  print(model);

  auto y = model->forward(etude::tensor({1, 3, 3}));
  print(y);

  y.sum().backward();
  print(model->parameters()[0].grad());
  return 0;
}
