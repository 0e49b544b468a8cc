// XOR: what one layer cannot learn, two can
#include <etude/etude.h>

#include "parameter.h"

namespace nn = etude::nn;
using etude::print;

int main() {
  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const int64_t hidden = parameter("hidden", 8, 1, 64);
  const etude::Tensor x = etude::tensor({{0., 0.}, {0., 1.}, {1., 0.}, {1., 1.}});
  const etude::Tensor y = etude::tensor({0., 1., 1., 0.}).unsqueeze(1);

  nn::Sequential model{nn::Linear(2, hidden), nn::Tanh(), nn::Linear(hidden, 1), nn::Sigmoid()};
  etude::optim::Adam optimizer(model->parameters(), 0.05);
  const int64_t steps = parameter("steps", 300, 1, 5000);
  for (int64_t step = 1; step <= steps; ++step) {
    const etude::Tensor loss = nn::functional::binary_cross_entropy(model->forward(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 100 == 0) print("step", step, "loss", loss.item<float>());
  }
  print((model->forward(x) > 0.5).to(etude::kLong).flatten());
  return 0;
}
