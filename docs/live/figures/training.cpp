// Figures about training: gradients through a stack, learning rates, the loss.

#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "controls.h"
#include "support/sentences.h"

namespace figures {

namespace nn = etude::nn;
namespace optim = etude::optim;
using etude::Tensor;
using examples::draw_sentences, examples::kLength, examples::kVocabulary;

namespace {

// The size of the gradient of linear1 in each block of a stack with random weights, as in lesson 10.
std::vector<double> gradient_sizes(int64_t layers, bool norm_first, int64_t seed) {
  etude::manual_seed(static_cast<uint64_t>(seed));
  nn::TransformerEncoderLayer one(
      nn::TransformerEncoderLayerOptions(32, 4).dim_feedforward(64).dropout(0.0).norm_first(norm_first));
  nn::TransformerEncoder stack(nn::TransformerEncoderOptions(one, layers)
                                   .norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({32})))));
  for (const Tensor& p : stack->parameters())
    if (p.dim() > 1) nn::init::xavier_uniform_(p);
  const Tensor in = etude::randn({10, 2, 32}), r = etude::randn({10, 2, 32});
  (stack(in) * r).sum().backward();
  std::vector<double> sizes;
  for (int64_t i = 0; i < layers; ++i) {
    const auto& block = stack->layers->at<nn::TransformerEncoderLayerImpl>(static_cast<size_t>(i));
    sizes.push_back(block.linear1->weight.grad().norm().item<double>());
  }
  return sizes;
}

std::vector<double> counted(int64_t from, int64_t count) {
  return numbers(etude::arange(from, from + count));
}

// Rises linearly, then falls as a cosine to a twentieth, as in lesson 11.
double warm_cosine(int64_t step, int64_t warm_up, int64_t steps) {
  if (step < warm_up) return static_cast<double>(step + 1) / static_cast<double>(warm_up);
  const double part = static_cast<double>(step - warm_up) / static_cast<double>(steps - warm_up);
  return 0.05 + 0.95 * (1 + std::cos(std::acos(-1.0) * part)) / 2;
}

std::unique_ptr<optim::LRScheduler> make_schedule(const std::string& kind, optim::Optimizer& optimizer,
                                                  double rate, int64_t warm_up, int64_t steps) {
  const auto whole = static_cast<double>(steps), rise = static_cast<double>(warm_up);
  if (kind == "constant") return std::make_unique<optim::LambdaLR>(optimizer, [](int64_t) { return 1.0; });
  if (kind == "warm_cosine")
    return std::make_unique<optim::LambdaLR>(optimizer,
                                             [=](int64_t step) { return warm_cosine(step, warm_up, steps); });
  if (kind == "noam")  // with this factor the highest rate is `rate`
    return std::make_unique<optim::NoamLR>(optimizer, 512, warm_up, rate * std::sqrt(512 * rise));
  if (kind == "one_cycle")
    return std::make_unique<optim::OneCycleLR>(
        optimizer, optim::OneCycleLROptions(rate, steps).pct_start(rise / whole).cycle_momentum(false));
  if (kind == "cosine") return std::make_unique<optim::CosineAnnealingLR>(optimizer, steps);
  if (kind == "linear") return std::make_unique<optim::LinearLR>(optimizer, 1.0, 0.0, steps);
  if (kind == "exponential")
    return std::make_unique<optim::ExponentialLR>(optimizer, std::pow(0.01, 1 / whole));
  throw Refused("There is no schedule \"" + kind + "\".");
}

// A classifier of whether A comes before B in a sentence, as in examples/word_order.cpp.
nn::Sequential reader(bool with_positions) {
  const auto mean = [](const Tensor& x) { return x.mean(1); };
  const nn::AnyModule embedding =
      with_positions ? nn::AnyModule(nn::InputEmbedding(
                           nn::InputEmbeddingOptions(kVocabulary, 16, nn::kBatchFirst).max_len(kLength)))
                     : nn::AnyModule(nn::TokenEmbedding(kVocabulary, 16));
  return nn::Sequential{embedding, nn::Linear(16, 32), nn::ReLU(), nn::Functional(mean), nn::Linear(32, 2)};
}

std::unique_ptr<optim::Optimizer> make_optimizer(const std::string& kind, std::vector<Tensor> parameters,
                                                 double rate) {
  if (kind == "sgd") return std::make_unique<optim::SGD>(parameters, optim::SGDOptions(rate));
  if (kind == "momentum")
    return std::make_unique<optim::SGD>(parameters, optim::SGDOptions(rate).momentum(0.9));
  if (kind == "adamw") return std::make_unique<optim::AdamW>(parameters, optim::AdamWOptions(rate));
  throw Refused("There is no optimizer \"" + kind + "\".");
}

}  // namespace

Answer gradients(const Controls& controls) {
  const int64_t layers = controls.whole("layers", 1, 24), seed = controls.whole("seed", 0, 1000);
  const std::string norms = controls.text("norms", 20);
  if (norms != "both" && norms != "first" && norms != "last")
    throw Refused("The norms are first, last or both.");
  Answer lines = Answer::array();
  std::string words = "The stack has " + std::to_string(layers) + (layers == 1 ? " block." : " blocks.");
  for (const bool first : {false, true}) {
    if (norms == (first ? "last" : "first")) continue;
    const std::vector<double> sizes = gradient_sizes(layers, first, seed);
    const std::string name = first ? "norms first" : "norms last";
    lines.push_back({{"name", name}, {"values", sizes}});
    words += " With the " + name + " the gradient is " + fixed(sizes.front(), 2) +
             " in the first block and " + fixed(sizes.back(), 2) + " in the last.";
  }
  return {{"x", counted(1, layers)}, {"lines", lines}, {"words", words}};
}

Answer schedule(const Controls& controls) {
  const std::string kind = controls.text("kind", 20);
  const int64_t steps = controls.whole("steps", 10, 2000), warm_up = controls.whole("warm_up", 1, 1999);
  const double rate = controls.number("rate", 1e-6, 1);
  if (warm_up >= steps) throw Refused("The warm up has to end before the last step.");
  optim::SGD optimizer(std::vector<Tensor>{etude::zeros({1}, etude::requires_grad())},
                       optim::SGDOptions(rate));
  const auto schedule = make_schedule(kind, optimizer, rate, warm_up, steps);
  std::vector<double> rates;
  for (int64_t step = 0; step < steps; ++step) {
    rates.push_back(optimizer.param_groups()[0].options().get_lr());
    optimizer.step();
    if (step + 1 < steps) schedule->step();
  }
  const auto most = std::max_element(rates.begin(), rates.end());
  return {
      {"x", counted(1, steps)},
      {"lines", Answer::array({{{"name", "learning rate"}, {"values", rates}}})},
      {"words", "The learning rate begins with " + digits(rates.front()) + ", is highest in step " +
                    std::to_string(most - rates.begin() + 1) + " with " + digits(*most) + " and ends with " +
                    digits(rates.back()) + " in step " + std::to_string(steps) + "."}};
}

Answer loss(const Controls& controls) {
  const int64_t steps = controls.whole("steps", 1, 300);
  const double rate = controls.number("rate", 1e-5, 10);
  const bool with_positions = controls.flag("positions");
  etude::manual_seed(0);
  nn::Sequential model = reader(with_positions);
  const auto optimizer = make_optimizer(controls.text("optimizer", 20), model->parameters(), rate);
  std::vector<double> losses;
  for (int64_t step = 0; step < steps; ++step) {
    const auto [ids, a_first] = draw_sentences(32);
    optimizer->zero_grad();
    const Tensor value = nn::functional::cross_entropy(model->forward(ids), a_first);
    value.backward();
    optimizer->step();
    losses.push_back(value.item<double>());
  }
  const etude::NoGradGuard no_grad;
  const auto [ids, a_first] = draw_sentences(200);
  const double right = (model->forward(ids).argmax(1) == a_first).to(etude::kDouble).mean().item<double>();
  if (!std::isfinite(losses.back()))
    throw Refused("With a rate of " + digits(rate) +
                  " the loss is no number any more: the steps are too large.");
  return {
      {"x", counted(1, steps)},
      {"lines", Answer::array({{{"name", "loss"}, {"values", losses}}})},
      {"guess", std::log(2.0)},
      {"right", right},
      {"words", "The loss begins with " + fixed(losses.front(), 3) + " and is " + fixed(losses.back(), 3) +
                    " in step " + std::to_string(steps) + "; guessing has " + fixed(std::log(2.0), 3) +
                    ". Of 400 new sentences the model reads " + percent(right) + " right."}};
}

}  // namespace figures
