// Softmax and cross entropy
#include <etude/etude.h>

#include "parameter.h"

namespace F = etude::nn::functional;
using etude::print;

int main() {
  const double first = parameter("first", 2.0, -20.0, 20.0);
  const int64_t target = parameter("target", 0, 0, 2);
  etude::Tensor logits = etude::tensor({first, 1.0, 0.1}).unsqueeze(0).requires_grad_();
  const etude::Tensor probabilities = etude::softmax(logits, 1);
  print(probabilities, probabilities.sum());

  // Minus the logarithm of the target's probability.
  const etude::Tensor loss = F::cross_entropy(logits, etude::full({1}, target, etude::kLong));
  print(loss, -etude::log(probabilities[0][target]));

  // The gradient: the probabilities, less 1 for the target.
  loss.backward();
  print(logits.grad());
  return 0;
}
