#include "support/pairs.h"

#include <algorithm>
#include <utility>

#include "support/recipe.h"

namespace examples {

using etude::Tensor;
namespace nn = etude::nn;

namespace {

constexpr double kLearningRate = 2e-3, kLongestGradient = 1.0;

std::vector<std::string> sources_of(const std::vector<Pair>& pairs) {
  std::vector<std::string> texts;
  texts.reserve(pairs.size());
  for (const Pair& pair : pairs) texts.push_back(pair.source);
  return texts;
}

std::vector<std::string> targets_of(const std::vector<Pair>& pairs) {
  std::vector<std::string> texts;
  texts.reserve(pairs.size());
  for (const Pair& pair : pairs) texts.push_back(pair.target);
  return texts;
}

}  // namespace

Alphabet::Alphabet(const std::string& characters) : characters_(characters) {
  for (const char c : characters) ids_.emplace(c, static_cast<int64_t>(ids_.size()) + 3);
}

Tensor Alphabet::encode(const std::vector<std::string>& texts, bool targets) const {
  size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  const size_t width = longest + (targets ? 2 : 0);
  std::vector<int64_t> ids(texts.size() * width, kPadding);
  for (size_t i = 0; i < texts.size(); ++i) {
    auto at = ids.begin() + static_cast<std::ptrdiff_t>(i * width);
    if (targets) *at++ = kStart;
    for (const char c : texts[i]) *at++ = ids_.at(c);
    if (targets) *at = kEnd;
  }
  return etude::tensor(ids).view({static_cast<int64_t>(texts.size()), static_cast<int64_t>(width)});
}

std::string Alphabet::decode(const Tensor& ids) const {
  std::string text;
  for (int64_t i = 1; i < ids.size(0); ++i) {
    const int64_t id = ids[i].item<int64_t>();
    if (id == kEnd) break;
    if (id > kEnd) text += characters_.at(static_cast<size_t>(id - 3));
  }
  return text;
}

size_t draw_below(size_t n) {
  return static_cast<size_t>(etude::randint(static_cast<int64_t>(n), {1}).item<int64_t>());
}

Tensor loss_of(nn::EncoderDecoder& model, const Alphabet& alphabet, const std::vector<Pair>& pairs) {
  return model->loss(alphabet.encode(sources_of(pairs), false), alphabet.encode(targets_of(pairs), true));
}

std::vector<std::string> translate(nn::EncoderDecoder& model, const Alphabet& alphabet,
                                   const std::vector<Pair>& pairs, int64_t longest) {
  const Tensor made = nn::generate(model, alphabet.encode(sources_of(pairs), false), Alphabet::kStart,
                                   nn::GenerateOptions(longest + 1).stop_tokens({Alphabet::kEnd}));
  std::vector<std::string> texts;
  for (int64_t i = 0; i < made.size(0); ++i) texts.push_back(alphabet.decode(made[i]));
  return texts;
}

int64_t count_exact(const std::vector<Pair>& pairs, const std::vector<std::string>& made) {
  int64_t exact = 0;
  for (size_t i = 0; i < pairs.size(); ++i) exact += made[i] == pairs[i].target ? 1 : 0;
  return exact;
}

Tensor cross_attention_weights(nn::EncoderDecoder& model, const Alphabet& alphabet, const Pair& pair) {
  const Tensor src = alphabet.encode({pair.source}, false), tgt = alphabet.encode({pair.target}, true);
  return model->cross_attention(src, tgt.slice(1, 0, -1)).back()[0].mean(0);
}

PairTrainer::PairTrainer(nn::EncoderDecoder model, Alphabet alphabet, std::function<Pair()> draw,
                         int64_t steps, const std::string& program, uint64_t seed)
    : model_(std::move(model)),
      alphabet_(std::move(alphabet)),
      draw_(std::move(draw)),
      weights_(model_->parameters()),
      optimizer_(make_adamw(weights_, kLearningRate, /*weight_decay=*/0.01)),
      schedule_(optimizer_,
                [steps](int64_t step) { return warm_up_and_cosine(step, steps, steps / 10, 0.02); }),
      state_(program, seed, *model_, optimizer_, schedule_) {}

double PairTrainer::step() {
  std::vector<Pair> batch;
  for (int64_t i = 0; i < kBatch; ++i) batch.push_back(draw_());

  optimizer_.zero_grad();
  const Tensor loss = loss_of(model_, alphabet_, batch);
  loss.backward();
  nn::utils::clip_grad_norm_(weights_, kLongestGradient);
  optimizer_.step();
  schedule_.step();
  return loss.item<double>();
}

}  // namespace examples
