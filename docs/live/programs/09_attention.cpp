// Attention by hand
#include <etude/etude.h>
#include <cmath>

#include "parameter.h"

using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const int64_t words = parameter("words", 4, 1, 12), width = parameter("width", 8, 1, 64);
  const etude::Tensor x = etude::randn({words, width});
  const etude::Tensor w_q = etude::randn({width, width}), w_k = etude::randn({width, width});
  const etude::Tensor w_v = etude::randn({width, width});

  const etude::Tensor q = etude::matmul(x, w_q), k = etude::matmul(x, w_k), v = etude::matmul(x, w_v);
  etude::Tensor scores = etude::matmul(q, k.t()) / std::sqrt(static_cast<double>(width));
  if (parameter("causal", 1, 0, 1) == 1) {
    const etude::Tensor later = etude::triu(etude::ones({words, words}), 1).to(etude::kBool);
    scores = scores.masked_fill(later, -INFINITY);
  }
  const etude::Tensor weights = etude::softmax(scores, 1);
  print(weights);
  print(etude::matmul(weights, v).sizes());
  return 0;
}
