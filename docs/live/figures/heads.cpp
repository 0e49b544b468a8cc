// The heads of a small model that learns, for each letter of a word, the letter before it and the letter after it.

#include <etude/etude.h>

#include <map>

#include "controls.h"

namespace figures {

namespace nn = etude::nn;
using etude::Tensor;

namespace {

constexpr int64_t kLetters = 26, kWidth = 32, kLongest = 10, kBatch = 32;
constexpr int64_t kNone = kLetters;  // the neighbour before the first letter and after the last
constexpr int64_t kSteps = 400, kEvery = 20;

struct NeighboursImpl : nn::Module {
  explicit NeighboursImpl(int64_t count)
      : embedding(nn::InputEmbeddingOptions(kLetters, kWidth, nn::kBatchFirst).max_len(kLongest)),
        attention(nn::MultiheadAttentionOptions(kWidth, count).batch_first(true)),
        out(kWidth, 2 * (kLetters + 1)) {
    register_module("embedding", embedding);
    register_module("attention", attention);
    register_module("out", out);
  }

  // ids [batch, length] -> scores of the letters before and after [batch * length * 2, kLetters + 1], and the attention
  // weights of each head [batch, heads, length, length].
  std::pair<Tensor, Tensor> forward(const Tensor& ids) {
    const Tensor x = embedding(ids);
    const auto [mixed, weights] = attention->forward(x, x, x, {}, true, {}, /*average_attn_weights=*/false);
    return {out(mixed).reshape({-1, kLetters + 1}), weights};
  }

  nn::InputEmbedding embedding;
  nn::MultiheadAttention attention;
  nn::Linear out;
};
ETUDE_MODULE(Neighbours);

// [batch, length] -> [batch * length * 2]
Tensor neighbours_of(const Tensor& ids) {
  const Tensor edge = etude::full({ids.size(0), 1}, kNone, etude::kLong);
  const Tensor before = etude::cat({edge, ids.narrow(1, 0, ids.size(1) - 1)}, 1);
  const Tensor behind = etude::cat({ids.narrow(1, 1, ids.size(1) - 1), edge}, 1);
  return etude::stack({before, behind}, 2).flatten();
}

// A training run that continues when later steps are needed, and keeps its weights at every twentieth step.
class Run {
 public:
  explicit Run(int64_t count)
      : random_(0), model_(made(count)), optimizer_(model_->parameters(), etude::optim::AdamOptions(0.01)) {
    remember();
  }

  // The model after `steps` steps.
  Neighbours& at(int64_t steps) {
    go_to(static_cast<int64_t>(kept_.size() - 1));
    while (step_ < steps) {
      train();
      if (step_ % kEvery == 0) remember();
    }
    go_to(steps / kEvery);
    return model_;
  }

 private:
  static Neighbours made(int64_t count) {
    etude::manual_seed(0);
    return Neighbours(count);
  }

  void train() {
    const int64_t length = 3 + random_.random() % (kLongest - 2);
    const Tensor ids = etude::randint(0, kLetters, {kBatch, length}, random_, etude::kLong);
    optimizer_.zero_grad();
    nn::functional::cross_entropy(model_->forward(ids).first, neighbours_of(ids)).backward();
    optimizer_.step();
    ++step_;
  }

  void remember() {
    std::vector<Tensor> weights;
    for (const Tensor& p : model_->parameters()) weights.push_back(p.detach().clone());
    kept_.push_back(weights);
  }

  void go_to(int64_t place) {
    const etude::NoGradGuard no_grad;
    const std::vector<Tensor>& weights = kept_.at(static_cast<size_t>(place));
    const std::vector<Tensor> parameters = model_->parameters();
    for (size_t i = 0; i < weights.size(); ++i) Tensor(parameters[i]).copy_(weights[i]);
  }

  etude::Generator random_;
  Neighbours model_;
  etude::optim::Adam optimizer_;
  int64_t step_ = 0;
  std::vector<std::vector<Tensor>> kept_;
};

Tensor ids_of(const std::string& word) {
  std::vector<int64_t> ids;
  for (const char c : word) {
    if (c < 'a' || c > 'z') throw Refused("The word has to be of the letters a to z alone.");
    ids.push_back(c - 'a');
  }
  if (ids.size() < 3) throw Refused("The word needs at least 3 letters.");
  return etude::tensor(ids).unsqueeze(0);
}

// Describes the attention of a head, averaged over the letters of the word.
std::string told(const Tensor& weights, int64_t head) {
  const int64_t n = weights.size(0);
  const double before = weights.diagonal(-1).sum().item<double>() / static_cast<double>(n - 1);
  const double behind = weights.diagonal(1).sum().item<double>() / static_cast<double>(n - 1);
  return " Head " + std::to_string(head) + " gives " + percent(before) +
         " of its weight to the letter before and " + percent(behind) + " to the letter behind.";
}

}  // namespace

Answer heads(const Controls& controls) {
  const int64_t count = controls.whole("heads", 1, 4), steps = controls.whole("steps", 0, kSteps);
  if (count == 3) throw Refused("A width of 32 cannot be cut into 3 heads.");
  if (steps % kEvery != 0)
    throw Refused("The steps have to be a multiple of " + std::to_string(kEvery) + ".");
  const std::string word = controls.text("word", kLongest);
  const Tensor ids = ids_of(word);

  static std::map<int64_t, Run> runs;
  Neighbours& model = runs.try_emplace(count, count).first->second.at(steps);
  const etude::NoGradGuard no_grad;
  const auto [scores, weights] = model->forward(ids);
  const Tensor right = scores.argmax(1) == neighbours_of(ids);
  std::string words = "After " + std::to_string(steps) + " steps the model names " +
                      std::to_string(right.sum().item<int64_t>()) + " of " + std::to_string(right.numel()) +
                      " neighbours in " + word + ".";
  Answer maps = Answer::array();
  for (int64_t head = 0; head < count; ++head) {
    maps.push_back(rows(weights[0][head]));
    words += told(weights[0][head], head + 1);
  }
  std::vector<std::string> letters;
  for (const char c : word) letters.emplace_back(1, c);
  return {{"labels", letters}, {"heads", maps}, {"right", right.sum().item<int64_t>()}, {"words", words}};
}

}  // namespace figures
