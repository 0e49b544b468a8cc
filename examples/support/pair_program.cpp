#include "support/pair_program.h"

#include <cstdio>

#include "support/pictures.h"
#include "support/training_run.h"

namespace examples {

using etude::Tensor;
namespace nn = etude::nn;

namespace {

std::vector<std::string> one_by_one(const std::string& text) {
  std::vector<std::string> characters;
  for (const char c : text) characters.emplace_back(1, c);
  return characters;
}

}  // namespace

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
  PairTrainer trainer(model, alphabet, draw, program.steps, program.name, program.seed);
  TrainingRun run(program, "checkpoint", trainer.state(), "pairs");
  if (program.resume) run.resume();
  while (run.goes_on()) run.note(trainer.step(), PairTrainer::kBatch);
  const bool is_done = run.end();
  save_loss_curves(program.output("loss.svg"), "Loss per character", {run.losses()});
  return is_done;
}

void draw_cross_attention(nn::EncoderDecoder& model, const Alphabet& alphabet, const Pair& pair,
                          const Program& program) {
  const Tensor weights = cross_attention_weights(model, alphabet, pair).to(etude::kDouble);
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
