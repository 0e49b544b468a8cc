// A linear regression: a line through points
#include <etude/etude.h>

#include "parameter.h"

namespace nn = etude::nn;
using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 1, 0, 1000));
  const double slope = parameter("slope", 3.0, -10.0, 10.0), noise = parameter("noise", 0.1, 0.0, 5.0);
  const etude::Tensor x = etude::linspace(-1, 1, 40).unsqueeze(1);
  const etude::Tensor y = slope * x - 1 + noise * etude::randn({40, 1});

  nn::Linear line(1, 1);
  etude::optim::SGD optimizer(line->parameters(), parameter("rate", 0.3, 0.001, 2.0));
  for (int64_t step = 0; step <= 60; ++step) {
    const etude::Tensor loss = nn::functional::mse_loss(line(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 20 == 0) print("step", step, "loss", loss.item<float>());
  }
  print("slope", line->weight.item<float>(), "intercept", line->bias.item<float>());
  return 0;
}
