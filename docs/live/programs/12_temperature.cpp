// Sampling with temperature
#include <etude/etude.h>
#include <iostream>

#include "parameter.h"

using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const std::vector<std::string> words = {"dog", "cat", "bird", "fish"};
  const double temperature = parameter("temperature", 1.0, 0.05, 10.0);
  const etude::Tensor logits = etude::tensor({2.0, 1.0, 0.0, -1.0});

  // Below one the probable becomes more so; far above one, all count alike.
  const etude::Tensor probabilities = etude::softmax(logits / temperature, 0);
  print(probabilities);
  const etude::Tensor drawn = etude::multinomial(probabilities, parameter("draws", 20, 1, 1000), true);
  for (size_t i = 0; i < words.size(); ++i) {
    const etude::Tensor hits = drawn == static_cast<int64_t>(i);
    std::cout << words[i] << ": " << hits.sum().item<int64_t>() << '\n';
  }
  return 0;
}
