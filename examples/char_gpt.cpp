// Trains a small GPT to predict each character of a text from the characters before it, then generates text. Its loss
// on the unseen part of the text is compared with the loss of counted pairs of characters.

#include <etude/etude.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/attention.h"
#include "support/char_trainer.h"
#include "support/corpus.h"
#include "support/interrupt.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/training_run.h"
#include "tutorials/support/text.h"

namespace nn = etude::nn;
using etude::Tensor;
using examples::CharText, examples::CharTrainer;

namespace {

struct Settings {
  std::string text, prompt;
  int64_t sample = 500, top_k = 0;
  double temperature = 0.8;
  examples::CharSettings learning;
};

// Trains from the step of the checkpoint on; returns whether it reached the last step.
bool train(CharTrainer& trainer, const examples::Program& program) {
  examples::TrainingRun run(program, "checkpoint", trainer.state(), "characters");
  if (program.resume) run.resume();
  while (run.goes_on()) {
    run.note(trainer.step(), trainer.characters_per_step());
    if (program.is_first() && trainer.is_due())
      run.say(etude::str("step ", run.step(), ": loss ", trainer.evaluate(), " on the unseen tenth"));
  }
  const bool is_done = run.end();
  if (!program.is_first()) return is_done;
  examples::save_loss_curves(program.output("loss.svg"), "Loss per character",
                             {run.losses(), trainer.unseen()});
  return is_done;
}

// The ids of --prompt, or the first ids of the unseen tenth.
Tensor prompt_of(const Settings& s, const CharText& text) {
  if (s.prompt.empty()) return text.unseen.narrow(0, 0, std::min<int64_t>(24, text.unseen.size(0)));
  try {
    return etude::tensor(text.tokenizer.encode(s.prompt));
  } catch (const etude::ValueError& error) {
    throw examples::UsageError(std::string("--prompt does not fit the text: ") + error.what());
  }
}

// Prints the prompt and the model's continuation, character by character.
void write_sample(nn::GPT& model, const CharText& text, const Tensor& prompt, const Settings& s) {
  const auto print = [&](const Tensor& ids) {
    std::fputs(text.decode(ids).c_str(), stdout);
    std::fflush(stdout);
    return !examples::interrupted();
  };
  std::puts("----");
  print(prompt);
  nn::GenerateOptions options(s.sample);
  options.sample(true).temperature(s.temperature).top_k(s.top_k).on_token(print);
  nn::generate(model, prompt.unsqueeze(0), options);
  std::puts("\n----");
}

void draw_attention(nn::GPT& model, const CharText& text, Tensor ids, const examples::Program& program) {
  ids = ids.narrow(0, 0, std::min<int64_t>({ids.size(0), model->options.context(), 24}));
  std::vector<std::string> characters;
  for (int64_t i = 0; i < ids.size(0); ++i) characters.push_back(text.decode(ids.narrow(0, i, 1)));
  const int64_t last = model->options.layers() - 1;
  examples::save_attention(program.output("attention.svg"), "Attention in the last layer, first head",
                           examples::attention_weights(model, ids.unsqueeze(0), last)[0], characters);
}

int run(const examples::Program& program, Settings& s) {
  s.learning.steps = program.steps;
  s.learning.parts = program.parts;
  s.learning.seed = program.seed;
  CharTrainer trainer(CharText(s.text.empty() ? examples::project_text() : tutorials::read_text(s.text)),
                      s.learning, program.processes());
  const CharText& text = trainer.text();
  const Tensor prompt = prompt_of(s, text);

  const double by_pairs = trainer.bigram_loss();
  std::printf("%lld characters, %lld of them different; losses are those on the unseen last tenth\n",
              static_cast<long long>(text.ids.size(0)), static_cast<long long>(text.tokenizer.vocab_size()));
  std::fflush(stdout);
  if (!train(trainer, program)) return examples::kInterrupted;
  if (!program.is_first()) return examples::kDone;

  const double loss = trainer.unseen_loss();
  etude::manual_seed(program.seed);  // so that --resume with another seed generates another text
  if (s.sample > 0) write_sample(trainer.model(), text, prompt, s);
  draw_attention(trainer.model(), text, prompt, program);
  if (examples::interrupted()) return examples::kInterrupted;
  std::printf("loss of counted pairs: %.4f\nloss of the GPT:       %.4f\n", by_pairs, loss);
  return program.judge(loss, 0.4 * by_pairs, 0.85 * by_pairs);
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  examples::Program program(
      "char_gpt",
      "Trains a small GPT on the characters of a text, and lets it write. Its loss on the last tenth, which "
      "it does "
      "not see, is the mean over all windows of --context characters, side by side; pairs of characters, "
      "counted in "
      "the other nine tenths, have the loss beside it. --out gets a checkpoint, the losses and a picture of "
      "attention.",
      2000,
      {"", "--text poems.txt --out poems",
       "--text poems.txt --out poems --resume --seed 7 --sample 1000 --prompt 'The '"},
      "Go on with the checkpoint in --out, or write with it if it is complete");
  program.share_batches();
  const auto number = [&](const char* name, int64_t& value, int64_t low, const char* help) {
    program.add_number(name, value, low, int64_t{1} << 20, help);
  };
  program.add_text("--text", s.text, "A UTF-8 file to learn from, in place of Etude's documentation", "FILE");
  number("--sample", s.sample, 0, "How many characters it writes");
  program.add_text("--prompt", s.prompt, "What it goes on with; by default the first of the last tenth");
  program.add_number("--temperature", s.temperature, 1e-6, 1e6, "Below 1 the probable becomes more so");
  number("--top-k", s.top_k, 0, "Write with the k most probable characters only; 0 for all");
  number("--layers", s.learning.layers, 1, "Blocks of the model");
  number("--heads", s.learning.heads, 1, "Heads of attention in each block");
  number("--width", s.learning.width, 1, "Width of the model, a multiple of --heads");
  number("--context", s.learning.context, 1, "How many characters it sees");
  number("--batch", s.learning.batch, 1, "Windows in a training step");
  program.add_number("--lr", s.learning.lr, 1e-12, 1e3, "The largest learning rate; it falls to a tenth");
  return program.run(argc, argv, [&] { return run(program, s); });
}
