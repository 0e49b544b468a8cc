#include <etude/etude.h>

namespace nn = etude::nn;
using etude::print;

int main() {
  etude::manual_seed(0);
  nn::Sequential model{nn::Embedding(5, 4), nn::Linear(4, 2)};  // braces: built from left to right
  print(model);

  auto y = model->forward(etude::tensor({1, 3, 3}));
  print(y);

  y.sum().backward();
  print(model->parameters()[0].grad());
}
