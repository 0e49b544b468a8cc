// A checkpoint: saved, loaded, and learning goes on
#include <etude/etude.h>
#include <iostream>

#include "parameter.h"

namespace nn = etude::nn;

int main() {
  const std::string file = "model.safetensors";
  etude::manual_seed(0);
  nn::Linear model(2, 1);
  etude::optim::AdamW optimizer(model->parameters(), 0.1);
  int64_t step = 0;
  etude::Checkpoint checkpoint;
  checkpoint.add("model", *model).add("optimizer", optimizer).add("step", step);
  if (etude::Checkpoint::exists(file)) {  // a file that you gave, or that the run before wrote
    checkpoint.load(file);
    std::cout << "goes on after step " << step << '\n';
  }

  const etude::Tensor x = etude::tensor({{0., 1.}, {1., 0.}, {1., 1.}}),
                      y = etude::tensor({{1.}, {2.}, {3.}});
  const int64_t last = step + parameter("steps", 20, 1, 1000);
  while (step < last) {
    const etude::Tensor loss = nn::functional::mse_loss(model(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (++step % 5 == 0) std::cout << "step " << step << "  loss " << loss.item<float>() << '\n';
  }
  checkpoint.save(file);
  std::cout << "wrote " << file << '\n';
  return 0;
}
