// Which kind of positions works on texts longer than the training texts? One small GPT for each kind learns the same
// text in short windows, and then predicts in longer ones.

#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/attention.h"
#include "support/corpus.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/recipe.h"
#include "support/training_run.h"
#include "tutorials/support/text.h"

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor;

namespace {

constexpr int64_t kWidth = 64, kHeads = 4, kTrained = 32, kBatch = 16;
constexpr double kLearningRate = 3e-3;
const std::vector<int64_t> kLengths = {16, 32, 64, 128, 256};

// Sines and cosines scaled to the size of the token vectors of a new GPT. Without the scale, the token vectors, which have the
// standard deviation 0.02, would be lost among them.
class SmallSinusoidalPositions : public nn::Cloneable<SmallSinusoidalPositions>, public nn::Positions {
 public:
  void reset() override {}
  Tensor embed(const Tensor& x, int64_t first) override { return table_->embed(x / kSize, first) * kSize; }

 private:
  static constexpr double kSize = 0.03;
  nn::SinusoidalPositions table_{kWidth};
};

struct Kind {
  std::string name;
  std::shared_ptr<nn::Positions> positions;
  std::vector<double> losses = {};  // one for each length
  examples::Curve training = {};
};

std::vector<Kind> all_kinds() {
  return {{"none", nn::NoPositions().ptr()},
          {"sinusoidal", std::make_shared<SmallSinusoidalPositions>()},
          {"learned", nn::LearnedPositions(kTrained, kWidth).ptr()},
          {"rotary", nn::RotaryPositions(kWidth / kHeads, nn::RotaryPairs::Half).ptr()},
          {"t5", nn::T5Positions(nn::T5PositionsOptions(kHeads)).ptr()},
          {"alibi", nn::ALiBiPositions(kHeads).ptr()}};
}

// Windows [count, length + 1] of the text that begin at `places`.
Tensor windows(const Tensor& ids, const Tensor& places, int64_t length) {
  return ids.index({places.unsqueeze(1) + etude::arange(length + 1)});
}

// The loss of the last eight tokens of windows of a length, so that each of them has almost the whole window before it.
double loss_at_the_end(nn::GPT& model, const Tensor& unseen, int64_t length) {
  if (model->max_length().value_or(length) < length) return std::numeric_limits<double>::quiet_NaN();
  const etude::NoGradGuard no_grad;
  const int64_t last = 8, longest = kLengths.back(),
                count = std::min<int64_t>((unseen.size(0) - 1) / longest, 128);
  // The windows of all lengths end at the same places, so that all predict the same tokens.
  const Tensor ends = (etude::arange(count) + 1) * longest;
  double sum = 0;
  for (const Tensor& some : ends.split(16)) {
    const Tensor w = windows(unseen, some - length, length);
    const Tensor logits = model(w.slice(1, 0, -1)).slice(1, -last);
    sum += F::cross_entropy(logits.flatten(0, 1), w.slice(1, -last).flatten()).item<double>() *
           static_cast<double>(some.size(0));
  }
  return sum / static_cast<double>(count);
}

// Returns whether it reached the last step: false after Ctrl-C.
bool train(nn::GPT& model, Kind& kind, const Tensor& text, const examples::Program& program) {
  const std::vector<Tensor> weights = model->parameters();
  etude::optim::AdamW optimizer = examples::make_adamw(weights, kLearningRate, /*weight_decay=*/0.1);
  etude::optim::LambdaLR schedule(optimizer, [&](int64_t step) {
    return examples::warm_up_and_cosine(step, program.steps, program.steps / 10, 0.1);
  });
  examples::TrainingRun run(program, kind.name, *model, optimizer, schedule, "characters");
  run.has("characters of the text", text.size(0));
  if (program.resume && run.can_resume()) run.resume();
  if (run.goes_on()) std::cerr << "positions: " << kind.name << "\n";
  while (run.goes_on()) {
    const Tensor w = windows(text, etude::randint(text.size(0) - kTrained, {kBatch}), kTrained);

    optimizer.zero_grad();
    const Tensor loss = F::cross_entropy(model(w.slice(1, 0, -1)).flatten(0, 1), w.slice(1, 1).flatten());
    loss.backward();
    nn::utils::clip_grad_norm_(weights, 1.0);
    optimizer.step();
    schedule.step();
    run.note(loss.item<double>(), kBatch * kTrained);
  }
  kind.training = {kind.name, run.losses().x, run.losses().y};
  return run.end();
}

std::string cell(double loss) {
  if (std::isnan(loss)) return "      -";
  char text[16];
  std::snprintf(text, sizeof text, "%7.3f", loss);
  return text;
}

void print_table(const std::vector<Kind>& kinds) {
  std::printf("positions   loss with windows of");
  std::printf("\n           ");
  for (const int64_t length : kLengths)
    std::printf(" %4lld%s", static_cast<long long>(length), length == kTrained ? "* " : "  ");
  std::printf("\n");
  for (const Kind& kind : kinds) {
    std::printf("%-11s", kind.name.c_str());
    for (const double loss : kind.losses) std::printf("%s", cell(loss).c_str());
    std::printf("\n");
  }
  std::printf("* the length that all were trained with; - a position that the model does not have\n\n");
}

void draw(const std::vector<Kind>& kinds, const examples::Program& program) {
  std::vector<examples::Curve> curves;
  for (const Kind& kind : kinds) {
    curves.push_back({kind.name});
    for (size_t i = 0; i < kLengths.size(); ++i)
      if (!std::isnan(kind.losses[i]))
        curves.back().add(std::log2(static_cast<double>(kLengths[i])), kind.losses[i]);
  }
  std::vector<examples::Curve> training;
  for (const Kind& kind : kinds) training.push_back(kind.training);
  examples::save_loss_curves(program.output("loss.svg"), "Loss per character, in training", training);
  examples::save_loss_curves(program.output("extrapolation.svg"), "Trained with windows of 32 characters",
                             "log2 of the window's length", curves);
}

// Draws the attention of the first layer, as the mean of its heads, in a window twice as long as in training.
void draw_attention(nn::GPT& model, const std::string& name, const Tensor& unseen,
                    const examples::Program& program) {
  const int64_t length = std::min(2 * kTrained, model->max_length().value_or(2 * kTrained));
  const Tensor ids = unseen.narrow(0, 0, length).unsqueeze(0);
  examples::save_attention(program.output("attention_" + name + ".svg"),
                           "Attention in the first layer: " + name,
                           examples::attention_weights(model, ids, 0).mean(0), {});
}

int run(const examples::Program& program, const std::string& file) {
  const std::string characters = file.empty() ? examples::project_text() : tutorials::read_text(file);
  const auto tokenizer = etude::text::CharacterTokenizer::train(characters);
  const Tensor ids = etude::tensor(tokenizer.encode(characters));
  const int64_t seen = ids.size(0) * 9 / 10;
  const Tensor text = ids.narrow(0, 0, seen), unseen = ids.narrow(0, seen, ids.size(0) - seen);
  if (unseen.size(0) <= kLengths.back())
    throw examples::UsageError("the text is too short: its last tenth must have more than " +
                               std::to_string(kLengths.back()) + " characters");

  std::vector<Kind> kinds = all_kinds();
  for (Kind& kind : kinds) {
    etude::manual_seed(program.seed);  // the same windows for all kinds
    nn::GPT model(nn::GPTOptions(tokenizer.vocab_size())
                      .d_model(kWidth)
                      .layers(2)
                      .heads(kHeads)
                      .dropout(0)
                      .positions(kind.positions));
    if (!train(model, kind, text, program)) return examples::kInterrupted;
    model->eval();
    for (const int64_t length : kLengths) kind.losses.push_back(loss_at_the_end(model, unseen, length));
    draw_attention(model, kind.name, unseen, program);
  }
  print_table(kinds);
  draw(kinds, program);

  const std::vector<double>& alibi = kinds.back().losses;
  std::printf("ALiBi at %lld times the trained length: loss %.3f, %.3f at the trained one\n",
              static_cast<long long>(kLengths.back() / kTrained), alibi.back(), alibi[1]);
  return program.judge(alibi.back(), 0.5 * alibi[1], 1.1 * alibi[1]);
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  examples::Program program("extrapolate",
                            "Trains one small GPT for each kind of positions in windows of 32 characters, "
                            "and compares their losses in "
                            "windows of up to 256: a table, and pictures in --out.",
                            600, {"", "--text poems.txt --steps 1000 --out poems", "--out poems --resume"},
                            "Go on with the checkpoints in --out, one for each kind of positions");
  program.add_text("--text", file, "A UTF-8 file to learn from, in place of Etude's documentation", "FILE");
  return program.run(argc, argv, [&] { return run(program, file); });
}
