// Trains a small GPT to predict each character of a text from those before it, and lets it write. Beside its loss
// on the part of the text that it has not seen stands that of counted pairs of characters.

#include <etude/distributed/data_parallel.h>
#include <etude/etude.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/attention.h"
#include "support/corpus.h"
#include "support/interrupt.h"
#include "support/language_loss.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/recipe.h"
#include "support/training_run.h"
#include "tutorials/support/text.h"

namespace nn = etude::nn;
namespace optim = etude::optim;
using etude::Tensor, etude::text::CharacterTokenizer;

namespace {

struct Settings {
  std::string text, prompt;
  int64_t sample = 500, top_k = 0;
  double temperature = 0.8, lr = 2e-3;
  int64_t layers = 4, heads = 4, width = 128, context = 64, batch = 12;
};

// What is to be learnt: the ids of the first nine tenths of a text, and of the last.
struct Text {
  explicit Text(const std::string& characters)
      : tokenizer(CharacterTokenizer::train(characters)), ids(etude::tensor(tokenizer.encode(characters))) {}
  std::string decode(const Tensor& some) const {
    return tokenizer.decode({some.data_ptr<int64_t>(), static_cast<size_t>(some.numel())});
  }

  CharacterTokenizer tokenizer;
  Tensor ids, training = ids.narrow(0, 0, ids.size(0) * 9 / 10);
  Tensor unseen = ids.narrow(0, training.size(0), ids.size(0) - training.size(0));
};

Text read_text(const Settings& s) {
  Text text(s.text.empty() ? examples::project_text() : tutorials::read_text(s.text));
  if (text.unseen.size(0) > s.context) return text;
  throw examples::UsageError("the text has " + std::to_string(text.ids.size(0)) +
                             " characters, and a tenth of them must be more than the context of " +
                             std::to_string(s.context));
}

// Trains from the step of the checkpoint on; returns whether it came to the end.
bool train(nn::GPT& model, const Text& text, const examples::Program& program, const Settings& s) {
  nn::parallel::DistributedDataParallel shared(
      model, program.processes(), nn::parallel::DistributedDataParallelOptions().parts(program.parts));
  const std::vector<Tensor> weights = model->parameters();
  optim::AdamW optimizer = examples::make_adamw(weights, s.lr, /*weight_decay=*/0.1);
  optim::LambdaLR schedule(
      optimizer, [&](int64_t at) { return examples::warm_up_and_cosine(at, program.steps, 100, 0.1); });
  examples::TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "characters");
  examples::Curve unseen{"unseen"};
  run.keep(unseen);
  run.has("--layers", s.layers);
  run.has("--heads", s.heads);
  run.has("--width", s.width);
  run.has("--context", s.context);
  run.has("characters of the text", text.ids.size(0));
  run.begins_with("--lr", s.lr);
  if (program.resume) run.resume();

  const Tensor window = etude::arange(s.context);
  while (run.goes_on()) {
    const Tensor places = etude::randint(text.training.size(0) - s.context, {s.batch, 1}) + window;
    const Tensor input = text.training.index({places}), target = text.training.index({places + 1});

    optimizer.zero_grad();
    const Tensor loss = shared.mean_loss(
        {input, target}, [&](const std::vector<Tensor>& part) { return model->loss(part[0], part[1]); });
    nn::utils::clip_grad_norm_(weights, 1.0);
    optimizer.step();
    schedule.step();
    run.note(loss.item<double>(), s.batch * s.context);

    if (!program.is_first() || run.step() % std::max<int64_t>(1, program.steps / 10) != 0) continue;
    unseen.add(static_cast<double>(run.step()), examples::mean_loss(model, text.unseen, s.context));
    run.say(etude::str("step ", run.step(), ": loss ", unseen.y.back(), " on the unseen tenth"));
  }
  const bool is_done = run.end();
  if (!program.is_first()) return is_done;
  examples::save_loss_curves(program.output("loss.svg"), "Loss per character", {run.losses(), unseen});
  return is_done;
}

// The ids of --prompt, or the first of the unseen tenth.
Tensor prompt_of(const Settings& s, const Text& text) {
  if (s.prompt.empty()) return text.unseen.narrow(0, 0, std::min<int64_t>(24, text.unseen.size(0)));
  try {
    return etude::tensor(text.tokenizer.encode(s.prompt));
  } catch (const etude::ValueError& error) {
    throw examples::UsageError(std::string("--prompt does not fit the text: ") + error.what());
  }
}

// Prints the prompt and what the model goes on with, character by character.
void write_sample(nn::GPT& model, const Text& text, const Tensor& prompt, const Settings& s) {
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

void draw_attention(nn::GPT& model, const Text& text, Tensor ids, const examples::Program& program) {
  ids = ids.narrow(0, 0, std::min<int64_t>({ids.size(0), model->options.context(), 24}));
  std::vector<std::string> characters;
  for (int64_t i = 0; i < ids.size(0); ++i) characters.push_back(text.decode(ids.narrow(0, i, 1)));
  const int64_t last = model->options.layers() - 1;
  examples::save_attention(program.output("attention.svg"), "Attention in the last layer, first head",
                           examples::attention_weights(model, ids.unsqueeze(0), last)[0], characters);
}

int run(const examples::Program& program, const Settings& s) {
  const Text text = read_text(s);
  const Tensor prompt = prompt_of(s, text);
  const int64_t characters = text.tokenizer.vocab_size();
  if (s.width % s.heads != 0) throw examples::UsageError("--width must be a multiple of --heads");
  nn::GPTOptions options(characters);
  options.context(s.context).d_model(s.width).layers(s.layers).heads(s.heads).dropout(0);
  nn::GPT model(options);

  const double by_pairs = examples::bigram_loss(text.training, text.unseen, s.context, characters);
  std::printf("%lld characters, %lld of them different; losses are those on the unseen last tenth\n",
              static_cast<long long>(text.ids.size(0)), static_cast<long long>(characters));
  std::fflush(stdout);
  if (!train(model, text, program, s)) return examples::kInterrupted;
  if (!program.is_first()) return examples::kDone;

  const double loss = examples::mean_loss(model, text.unseen, s.context);
  etude::manual_seed(program.seed);  // so that --resume with another seed writes something else
  if (s.sample > 0) write_sample(model, text, prompt, s);
  draw_attention(model, text, prompt, program);
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
  number("--layers", s.layers, 1, "Blocks of the model");
  number("--heads", s.heads, 1, "Heads of attention in each block");
  number("--width", s.width, 1, "Width of the model, a multiple of --heads");
  number("--context", s.context, 1, "How many characters it sees");
  number("--batch", s.batch, 1, "Windows in a training step");
  program.add_number("--lr", s.lr, 1e-12, 1e3, "The largest learning rate; it falls to a tenth");
  return program.run(argc, argv, [&] { return run(program, s); });
}
