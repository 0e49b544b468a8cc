#include "support/pairs.h"

#include <algorithm>
#include <cstdio>

#include "support/pictures.h"
#include "support/recipe.h"
#include "support/training_run.h"

namespace examples {

using etude::Tensor;
namespace nn = etude::nn;

namespace {

constexpr int64_t kBatch = 64;
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

std::vector<std::string> one_by_one(const std::string& text) {
  std::vector<std::string> characters;
  for (const char c : text) characters.emplace_back(1, c);
  return characters;
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

int judge_pairs(const Program& program, nn::EncoderDecoder& model, const Alphabet& alphabet,
                const std::vector<Pair>& pairs, const std::vector<std::string>& made,
                const std::string& what) {
  const int64_t exact = count_exact(pairs, made);
  const double loss = loss_of(model, alphabet, pairs).item<double>();
  std::printf("\n%lld of %zu %s: %.1f %%\nloss: %.4f\n", static_cast<long long>(exact), pairs.size(),
              what.c_str(), 100.0 * static_cast<double>(exact) / static_cast<double>(pairs.size()), loss);
  return program.judge(loss, 0, 0.02);
}

bool train_on_pairs(nn::EncoderDecoder& model, const Alphabet& alphabet, const std::function<Pair()>& draw,
                    const Program& program) {
  const std::vector<Tensor> weights = model->parameters();
  etude::optim::AdamW optimizer = make_adamw(weights, kLearningRate, /*weight_decay=*/0.01);
  etude::optim::LambdaLR schedule(optimizer, [&](int64_t step) {
    return warm_up_and_cosine(step, program.steps, program.steps / 10, 0.02);
  });
  TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "pairs");
  if (program.resume) run.resume();
  while (run.goes_on()) {
    std::vector<Pair> batch;
    for (int64_t i = 0; i < kBatch; ++i) batch.push_back(draw());

    optimizer.zero_grad();
    const Tensor loss = loss_of(model, alphabet, batch);
    loss.backward();
    nn::utils::clip_grad_norm_(weights, kLongestGradient);
    optimizer.step();
    schedule.step();
    run.note(loss.item<double>(), kBatch);
  }
  const bool is_done = run.end();
  save_loss_curves(program.output("loss.svg"), "Loss per character", {run.losses()});
  return is_done;
}

void draw_cross_attention(nn::EncoderDecoder& model, const Alphabet& alphabet, const Pair& pair,
                          const Program& program) {
  const Tensor src = alphabet.encode({pair.source}, false), tgt = alphabet.encode({pair.target}, true);
  const Tensor weights =
      model->cross_attention(src, tgt.slice(1, 0, -1)).back()[0].mean(0).to(etude::kDouble);
  HeatMap map;
  map.title = "What the decoder looks at";
  map.description =
      "Each row is a character of the target, and shows how much the decoder looks at the "
      "characters of the source, in the columns, when it makes it.";
  map.x_label = "source";
  map.y_label = "target";
  map.rows = weights.size(0);
  map.columns = weights.size(1);
  const Tensor numbers = weights.contiguous();
  map.values.assign(numbers.data_ptr<double>(), numbers.data_ptr<double>() + numbers.numel());
  map.colours = tutorials::Colours::sequential;
  map.row_names = one_by_one(pair.target);
  map.row_names.emplace_back("end");
  map.column_names = one_by_one(pair.source);
  save_heat_map(program.output("attention.svg"), map);
}

}  // namespace examples
