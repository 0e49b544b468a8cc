// Trains a GPT on the characters of a text with framework/mini alone, and lets it write; it takes about a minute.
//   g++ -std=c++17 -O3 -Iframework examples/mini/train.cpp -o train && ./train docs/mini.md
#include <fstream>
#include <set>

#include "mini/gpt.h"

using namespace mini;

std::string read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Draws i with probability p[i].
int64_t draw(const Tensor& p) {
  float left = default_generator().uniform();
  int64_t i = 0;
  while (i + 1 < p.numel() && (left -= p[i].item<float>()) > 0) ++i;
  return i;
}

int main(int argc, char** argv) {
  const std::string text = read(argc > 1 ? argv[1] : "docs/mini.md");
  const int steps = argc > 2 ? std::stoi(argv[2]) : 500;
  if (text.size() <= 33) {
    std::cerr << "train: expected the path of a text of more than 33 characters\n";
    return 2;
  }
  const std::set<char> distinct(text.begin(), text.end());
  const std::string letters(distinct.begin(), distinct.end());
  std::vector<int64_t> ids;
  for (const char c : text) ids.push_back(static_cast<int64_t>(letters.find(c)));
  const Tensor all = tensor(ids);

  manual_seed(0);
  const int64_t context = 32, vocab_size = static_cast<int64_t>(letters.size());
  nn::GPT model(nn::GPTOptions(vocab_size).context(context).d_model(48).layers(2).heads(4).dropout(0));
  optim::AdamW optimizer(model->parameters(), optim::AdamWOptions(0.003));
  for (int step = 0; step <= steps; ++step) {
    const Tensor places = randint(all.numel() - context, {16, 1}) + arange(context);  // [batch, context]
    const Tensor logits = model(all.index({places})), next = all.index({places + 1});
    const Tensor loss = nn::functional::cross_entropy(logits.flatten(0, 1), next.flatten());
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 50 == 0) print("step", step, "loss", format(loss, ".3f"));
  }
  const NoGradGuard no_grad;
  for (int written = 0; written < 300; ++written) {
    const Tensor recent = tensor(std::vector<int64_t>(ids.end() - context, ids.end())).unsqueeze(0);
    ids.push_back(draw(softmax(model(recent)[0][-1], 0)));
    std::cout << letters[static_cast<size_t>(ids.back())] << std::flush;
  }
  std::cout << '\n';
}
