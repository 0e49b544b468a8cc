// nn::MultiheadAttention: several heads, and a mask
#include <etude/etude.h>
#include <cmath>

#include "parameter.h"

namespace nn = etude::nn;
using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const int64_t heads = parameter("heads", 2, 1, 8), words = parameter("words", 4, 1, 12);
  nn::MultiheadAttention attention(8 * heads, heads);
  const etude::Tensor x = etude::randn({words, 1, 8 * heads});  // [sequence, batch, width]

  const auto all = attention(x, x, x);
  print(std::get<0>(all).sizes());
  print(std::get<1>(all));  // the mean of the heads: each row adds up to one

  // Added to the scores: of what comes later nothing is left.
  const etude::Tensor later = etude::triu(etude::full({words, words}, -INFINITY), 1);
  const auto causal = attention(x, x, x, etude::Tensor(), true, later);
  print(std::get<1>(causal));
  return 0;
}
