// Teaches an encoder to tell lines of English, C++ and Python apart, or the lines of any files. The default lines come
// from the project's own files. The encoder is compared with a classifier that only counts characters.

#include <etude/etude.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "support/attention.h"
#include "support/labelled_lines.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/recipe.h"
#include "support/training_run.h"

namespace nn = etude::nn;
namespace F = etude::nn::functional;
using etude::Tensor, examples::LabelledLines;

namespace {

constexpr int64_t kPadding = 256, kIds = 257, kBatch = 64;  // ids are bytes
constexpr double kLearningRate = 1e-3;

// Lines with the indices of their labels.
struct Lines {
  std::vector<std::string> texts;
  std::vector<int64_t> labels;
  void add(const std::string& text, size_t label) {
    texts.push_back(text);
    labels.push_back(static_cast<int64_t>(label));
  }
};

// int64 [texts, longest]
Tensor encode(const std::vector<std::string>& texts) {
  size_t longest = 0;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  std::vector<int64_t> ids(texts.size() * longest, kPadding);
  for (size_t i = 0; i < texts.size(); ++i)
    for (size_t j = 0; j < texts[i].size(); ++j)
      ids[i * longest + j] = static_cast<unsigned char>(texts[i][j]);
  return etude::tensor(ids).view({static_cast<int64_t>(texts.size()), static_cast<int64_t>(longest)});
}

// Removes every fifth line of each kind and returns these lines.
Lines keep_back(std::vector<LabelledLines>& kinds) {
  Lines unseen;
  for (size_t label = 0; label < kinds.size(); ++label) {
    std::vector<std::string> rest;
    for (size_t i = 0; i < kinds[label].lines.size(); ++i)
      if (i % 5 == 4) unseen.add(kinds[label].lines[i], label);
      else rest.push_back(kinds[label].lines[i]);
    kinds[label].lines = std::move(rest);
  }
  return unseen;
}

// Draws each kind equally often, however many lines it has.
Lines draw_batch(const std::vector<LabelledLines>& kinds) {
  const Tensor labels = etude::randint(static_cast<int64_t>(kinds.size()), {kBatch}),
               places = etude::rand({kBatch}, etude::kDouble);
  Lines batch;
  for (int64_t i = 0; i < kBatch; ++i) {
    const auto label = static_cast<size_t>(labels[i].item<int64_t>());
    const std::vector<std::string>& lines = kinds[label].lines;
    batch.add(lines[static_cast<size_t>(places[i].item<double>() * static_cast<double>(lines.size()))],
              label);
  }
  return batch;
}

Tensor loss_of(nn::EncoderClassifier& model, const Lines& lines) {
  return F::cross_entropy(model(encode(lines.texts)), etude::tensor(lines.labels));
}

// Returns whether it reached the last step: false after Ctrl-C.
bool train(nn::EncoderClassifier& model, const std::vector<LabelledLines>& kinds,
           const examples::Program& program) {
  const std::vector<Tensor> weights = model->parameters();
  etude::optim::AdamW optimizer = examples::make_adamw(weights, kLearningRate, /*weight_decay=*/0.1);
  etude::optim::LambdaLR schedule(optimizer, [&](int64_t at) {
    return examples::warm_up_and_cosine(at, program.steps, program.steps / 10, 0.1);
  });
  examples::TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "lines");
  for (const LabelledLines& kind : kinds) run.has("lines of " + kind.label, kind.lines.size());
  if (program.resume) run.resume();
  while (run.goes_on()) {
    optimizer.zero_grad();
    const Tensor loss = loss_of(model, draw_batch(kinds));
    loss.backward();
    nn::utils::clip_grad_norm_(weights, 1.0);
    optimizer.step();
    schedule.step();
    run.note(loss.item<double>(), kBatch);
  }
  const bool is_done = run.end();
  examples::save_loss_curves(program.output("loss.svg"), "Loss per line", {run.losses()});
  return is_done;
}

void print_right(const char* who, const std::vector<int64_t>& found, const Lines& unseen) {
  size_t right = 0;
  for (size_t i = 0; i < found.size(); ++i) right += found[i] == unseen.labels[i] ? 1 : 0;
  std::printf("%-22s %4zu of %zu right, %.1f %%\n", who, right, found.size(),
              100.0 * static_cast<double>(right) / static_cast<double>(found.size()));
}

std::vector<int64_t> labels_by(nn::EncoderClassifier& model, const std::vector<std::string>& texts) {
  const Tensor found = model(encode(texts)).argmax(1);
  return {found.data_ptr<int64_t>(), found.data_ptr<int64_t>() + found.numel()};
}

// Draws the attention of the first layer over the characters of a line, as the mean of its heads.
void draw_attention(nn::EncoderClassifier& model, const std::string& text, const examples::Program& program) {
  auto& layer = model->encoder->layers->at<nn::TransformerEncoderLayerImpl>(0);
  const Tensor x = layer.norm1(model->embedding(encode({text})));
  std::vector<std::string> characters;
  for (const char c : text) characters.emplace_back(1, static_cast<unsigned char>(c) < 128 ? c : '?');
  examples::save_attention(program.output("attention.svg"), "Attention in the first layer",
                           std::get<1>(layer.self_attn(x, x, x))[0], characters);
}

int run(const examples::Program& program, const std::vector<std::string>& files, const std::string& line) {
  std::vector<LabelledLines> kinds =
      files.empty() ? examples::project_lines() : examples::lines_of_files(files);
  const Lines unseen = keep_back(kinds);
  std::printf("lines to learn from:");
  for (const LabelledLines& kind : kinds) std::printf(" %zu %s", kind.lines.size(), kind.label.c_str());
  std::printf("\n");
  std::fflush(stdout);

  nn::EncoderClassifier model(nn::EncoderClassifierOptions(kIds, static_cast<int64_t>(kinds.size()))
                                  .d_model(64)
                                  .heads(4)
                                  .layers(2)
                                  .dim_feedforward(128)
                                  .dropout(0.1)
                                  .norm_first(true)
                                  .padding_idx(kPadding));
  if (!train(model, kinds, program)) return examples::kInterrupted;

  model->eval();
  const etude::NoGradGuard no_grad;
  const examples::CharacterCounts counts(kinds);
  std::vector<int64_t> by_counts;
  for (const std::string& text : unseen.texts) by_counts.push_back(static_cast<int64_t>(counts(text)));
  const std::vector<int64_t> by_model = labels_by(model, unseen.texts);
  std::printf("\nlines that are taken for something else than they are:\n");
  for (size_t i = 0, shown = 0; i < by_model.size() && shown < 5; ++i) {
    if (by_model[i] == unseen.labels[i]) continue;
    std::printf("  %s, taken for %s: %s\n", kinds[static_cast<size_t>(unseen.labels[i])].label.c_str(),
                kinds[static_cast<size_t>(by_model[i])].label.c_str(), unseen.texts[i].c_str());
    ++shown;
  }
  if (!line.empty())
    std::printf("\n%s: %s\n", line.c_str(),
                kinds[static_cast<size_t>(labels_by(model, {line})[0])].label.c_str());
  draw_attention(model, line.empty() ? unseen.texts[0] : line, program);
  std::printf("\non lines that were not seen:\n");
  print_right("counts of characters", by_counts, unseen);
  print_right("the encoder", by_model, unseen);
  const double loss = loss_of(model, unseen).item<double>();
  std::printf("loss: %.4f\n", loss);
  return program.judge(loss, 0, 0.25);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  std::string line;
  examples::Program program(
      "classify_text",
      "Teaches the encoder of a transformer of what kind a line of text is. Every fifth line is "
      "kept back to judge it. --out gets a checkpoint, the losses and a picture of attention.",
      500,
      {"", "--file english=alice.txt --file german=faust.txt",
       "--resume --read 'for (int i = 0; i < n; ++i)'"},
      "Go on with the checkpoint in --out, or read with it if it is complete");
  program.add_texts("--file", files, "A kind of lines and a file of them, twice or more often", "LABEL=PATH");
  program.add_text("--read", line, "A line to read at the end");
  return program.run(argc, argv, [&] { return run(program, files, line); });
}
