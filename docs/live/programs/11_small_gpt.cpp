// A GPT of few characters learns a text of yours
#include <etude/etude.h>
#include <algorithm>
#include <iostream>

#include "parameter.h"

namespace nn = etude::nn;

int main() {
  const std::string text = parameter("text", "the dog saw the cat and the cat saw the dog. ");
  if (text.size() < 3) throw std::invalid_argument("the text needs three characters");
  std::string characters = text;
  std::sort(characters.begin(), characters.end());
  characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
  std::vector<int64_t> ids;
  for (const char c : text) ids.push_back(static_cast<int64_t>(characters.find(c)));

  etude::manual_seed(parameter("seed", 0, 0, 1000));
  const int64_t count = static_cast<int64_t>(characters.size());
  const int64_t length = std::min<int64_t>(static_cast<int64_t>(ids.size()) - 1, 64);
  nn::GPT model(nn::GPTOptions(count).context(64).d_model(32).layers(2).heads(2).dropout(0));
  etude::optim::AdamW optimizer(model->parameters(), 0.01);
  const etude::Tensor all = etude::tensor(ids).unsqueeze(0);
  const etude::Tensor before = all.narrow(1, 0, length), after = all.narrow(1, 1, length);
  const int64_t steps = parameter("steps", 60, 1, 1000);
  for (int64_t step = 1; step <= steps; ++step) {
    const etude::Tensor loss = model->loss(before, after);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 10 == 0) std::cout << "step " << step << "  loss " << loss.item<float>() << std::endl;
  }

  model->eval();
  const etude::Tensor written = nn::generate(model, all.narrow(1, 0, 2), nn::GenerateOptions(40));
  for (int64_t i = 0; i < written.size(1); ++i)
    std::cout << characters[static_cast<size_t>(written[0][i].item<int64_t>())];
  std::cout << '\n';
  return 0;
}
