// How does a model predict the next word? Trains a GPT of two layers on repeated words, finds the attention heads that copy
// the word after the last occurrence, and proves that they do it.

#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/attention.h"
#include "support/char_model.h"
#include "support/circuits.h"
#include "support/page.h"
#include "support/pictures.h"
#include "support/program.h"
#include "support/recipe.h"
#include "support/training_run.h"
#include "tutorials/support/files.h"

namespace nn = etude::nn;
using etude::Tensor;
using examples::Curve, examples::Head, examples::Repeated;

namespace {

constexpr int64_t kVocabulary = 32, kLength = 32, kShortest = 8, kLongest = 16;
constexpr int64_t kWidth = 64, kHeads = 4, kLayers = 2, kBatch = 32, kTests = 128;
constexpr double kLearningRate = 5e-3, kIsOne = 0.4;  // a head with at least this score is one of its kind
const std::string kWords = "abcdefghijklmnopqrstuvwxyzABCDEF";

Repeated draw(int64_t count) {
  return examples::repeat_words(kVocabulary, kLength, etude::randint(kShortest, kLongest + 1, {count, 1}));
}

nn::GPT make_model() {
  nn::GPT model(nn::GPTOptions(kVocabulary)
                    .d_model(kWidth)
                    .layers(kLayers)
                    .heads(kHeads)
                    .dim_feedforward(kWidth)
                    .dropout(0)
                    .positions(nn::RotaryPositions(kWidth / kHeads, nn::RotaryPairs::Half).ptr()));
  // GPT-2's initial weights are for a width of 768; in a narrow model they keep the heads alike for a long time. With these
  // weights most seeds lead to induction heads; a few find another way, by the word after the next.
  const etude::NoGradGuard no_grad;
  for (Tensor& weight : model->parameters())
    if (weight.dim() > 1) weight.mul_(4);
  return model;
}

// The curves of a training run: the score of the best head of each kind.
struct Scores {
  Curve previous{"previous token, layer 0"}, induction{"induction, layer 1"};
  void add(int64_t step, nn::GPT& model, const Repeated& tests) {
    const examples::HeadScores now = examples::score_heads(model, tests);
    previous.add(static_cast<double>(step), now.previous[0].max().item<double>());
    induction.add(static_cast<double>(step), now.induction[1].max().item<double>());
  }
};

// Returns whether it reached the last step: false after Ctrl-C.
bool train(nn::GPT& model, const Repeated& tests, const examples::Program& program, Scores& scores) {
  const std::vector<Tensor> weights = model->parameters();
  etude::optim::AdamW optimizer = examples::make_adamw(weights, kLearningRate, /*weight_decay=*/0.1);
  etude::optim::LambdaLR schedule(
      optimizer, [&](int64_t at) { return examples::warm_up_and_cosine(at, program.steps, 50, 0.1); });
  examples::TrainingRun run(program, "checkpoint", *model, optimizer, schedule, "words");
  run.keep(scores.previous);
  run.keep(scores.induction);
  if (program.resume) run.resume();
  while (run.goes_on()) {
    const Repeated batch = draw(kBatch);
    optimizer.zero_grad();
    const Tensor loss = model->loss(batch.ids, batch.next);
    loss.backward();
    nn::utils::clip_grad_norm_(weights, 1.0);
    optimizer.step();
    schedule.step();
    run.note(loss.item<double>(), kBatch * kLength);
    if (run.step() % std::max<int64_t>(1, program.steps / 40) == 0) scores.add(run.step(), model, tests);
  }
  const bool is_done = run.end();
  examples::save_loss_curves(program.output("loss.svg"), "Loss per word, where it can be known",
                             {run.losses()});
  return is_done;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", std::abs(value) < 5e-4 ? 0 : value);
  return text;
}

// Writes a table to stdout and to the page.
void show(examples::Page& page, const std::vector<std::string>& header,
          const std::vector<std::vector<std::string>>& rows) {
  const auto print = [](const std::vector<std::string>& cells) {
    std::printf("%-26s", cells[0].c_str());
    for (size_t i = 1; i < cells.size(); ++i) std::printf("%16s", cells[i].c_str());
    std::printf("\n");
  };
  print(header);
  for (const auto& row : rows) print(row);
  std::printf("\n");
  page.table(header, rows);
}

std::vector<std::string> letters(const Tensor& ids) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < ids.size(0); ++i)
    names.emplace_back(1, kWords[static_cast<size_t>(ids[i].item<int64_t>())]);
  return names;
}

void draw_scores(const Scores& scores, const std::filesystem::path& path) {
  tutorials::LinePlot plot;
  plot.title = "The best head of each kind, while it is learnt";
  plot.description =
      "How much of their attention they give to where a head of their kind looks, over training steps.";
  plot.x_label = "step";
  plot.y_label = "attention";
  plot.x = scores.previous.x;
  plot.series = {{scores.previous.name, scores.previous.y}, {scores.induction.name, scores.induction.y}};
  tutorials::write_file(path, tutorials::draw(plot));
}

// The page with all results; each of its pictures is also a file.
struct Report {
  void picture(const std::string& file) { page.picture(program.output(file)); }
  void attention(const std::string& file, const std::string& title, const Head& head, nn::GPT& model,
                 const Tensor& ids) {
    const Tensor weights = examples::attention_weights(model, ids.unsqueeze(0), head.first)[head.second];
    examples::save_attention(program.output(file), title + " " + examples::name_of(head), weights,
                             letters(ids));
    picture(file);
  }

  const examples::Program& program;
  examples::Page page{"Looking inside a GPT of two layers"};
};

struct Found {
  std::vector<Head> previous, induction, others;
};

Found find_heads(const examples::HeadScores& scores) {
  Found found{
      examples::heads_above(scores.previous, kIsOne), examples::heads_above(scores.induction, kIsOne), {}};
  for (int64_t layer = 0; layer < kLayers; ++layer)
    for (int64_t number = 0; number < kHeads; ++number) {
      const Head head{layer, number};
      const auto in = [&](const std::vector<Head>& heads) {
        return std::count(heads.begin(), heads.end(), head) > 0;
      };
      if (!in(found.previous) && !in(found.induction)) found.others.push_back(head);
    }
  return found;
}

// Shows each head's scores and the loss without it, then without all heads of a kind, and without as many others.
double tell_about_heads(Report& report, nn::GPT& model, const Repeated& tests,
                        const examples::HeadScores& scores, const Found& found) {
  std::vector<std::vector<std::string>> rows;
  for (int64_t layer = 0; layer < kLayers; ++layer)
    for (int64_t n = 0; n < kHeads; ++n)
      rows.push_back({"head " + examples::name_of({layer, n}),
                      number(scores.previous[layer][n].item<double>()),
                      number(scores.induction[layer][n].item<double>()),
                      number(examples::loss_without(model, tests, {{layer, n}}))});
  show(report.page, {"attention to", "previous token", "induction", "loss without"}, rows);

  const size_t count = std::min(found.induction.size(), found.others.size());
  const double whole = examples::loss_without(model, tests, {}),
               without = examples::loss_without(model, tests, found.induction);
  double others = 0;
  const int rounds = 8;
  for (int i = 0; i < rounds; ++i) {
    std::vector<Head> some;
    const Tensor order = etude::randperm(static_cast<int64_t>(found.others.size()));
    for (size_t k = 0; k < count; ++k)
      some.push_back(found.others[static_cast<size_t>(order[static_cast<int64_t>(k)].item<int64_t>())]);
    others += examples::loss_without(model, tests, some) / rounds;
  }
  const auto names = [](const std::vector<Head>& heads) {
    std::string list;
    for (const Head& head : heads) list += (list.empty() ? "" : ", ") + examples::name_of(head);
    return list;
  };
  report.page.paragraph("Heads together, and as many others, drawn eight times:");
  show(report.page, {"without", "heads", "loss"},
       {{"nothing", "", number(whole)},
        {"induction heads", names(found.induction), number(without)},
        {"previous-token heads", names(found.previous),
         number(examples::loss_without(model, tests, found.previous))},
        {"random others", etude::str(count), number(others)}});
  return without - others;
}

void tell_about_layers(Report& report, nn::GPT& model, const Repeated& tests) {
  const examples::Lens lens = examples::read_early(model, tests);
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < lens.loss.size(); ++i)
    rows.push_back({i == 0 ? "the embedding" : etude::str("layer ", i - 1), number(lens.loss[i]),
                    number(lens.probability[i])});
  show(report.page, {"read after", "loss", "probability"}, rows);
}

void tell_about_places(Report& report, nn::GPT& model) {
  const int64_t again = kLongest / 2;
  const std::vector<std::string> points = {"blocks.0.hook_resid_pre", "blocks.0.hook_resid_mid",
                                           "blocks.0.hook_resid_post", "blocks.1.hook_resid_mid",
                                           "blocks.1.hook_resid_post"};
  const Tensor restored =
      examples::patch_positions(model, examples::pair_prompts(64, kVocabulary, kLongest, again), points)
          .contiguous();
  examples::HeatMap map;
  map.title = "Where the answer is";
  map.description =
      "Each row is a point in the model, each column a position: how much of the answer comes back with it.";
  map.x_label = "position: the answer is what came after " + kWords.substr(static_cast<size_t>(again - 1), 1);
  map.y_label = "";
  map.rows = restored.size(0);
  map.columns = restored.size(1);
  map.values.assign(restored.data_ptr<double>(), restored.data_ptr<double>() + restored.numel());
  map.row_names = {"in", "mid 0", "post 0", "mid 1", "post 1"};
  for (int64_t i = 0; i < map.columns; ++i)
    map.column_names.emplace_back(1, kWords[static_cast<size_t>(i % kLongest)]);
  examples::save_heat_map(report.program.output("patching.svg"), map);
  report.picture("patching.svg");

  std::vector<std::vector<std::string>> rows;
  for (int64_t i = 0; i < map.rows; ++i)
    rows.push_back({points[static_cast<size_t>(i)], number(restored[i][again].item<double>()),
                    number(restored[i][-1].item<double>())});
  show(report.page, {"restored by", "the other word", "the last word"}, rows);
}

// A character so that one sees it.
std::string quoted(const examples::CharModel& one, int64_t id) {
  const std::string character = one.tokenizer.decode({id});
  return character == "\n" ? "\\n" : "'" + character + "'";
}

// The three most probable characters of probabilities [vocab].
std::vector<std::string> best_of(const examples::CharModel& one, const Tensor& probabilities) {
  const auto [values, ids] = probabilities.topk(3);
  std::vector<std::string> cells;
  for (int64_t i = 0; i < 3; ++i)
    cells.push_back(quoted(one, ids[i].item<int64_t>()) + " " + number(values[i].item<double>()));
  return cells;
}

// Prints what a GPT of characters predicts after a text: the most probable next characters if they are read after each block, what
// the last character looks at most in each head, and the next characters without each part, with the change of the best one's
// probability.
int look_at(const std::string& file, const std::string& text) {
  const examples::CharModel one = examples::load_char_model(file);
  const Tensor ids = examples::readable_ids(one, text);
  if (ids.numel() == 0) throw examples::UsageError("--text has no character that the model knows");
  const examples::CharReading whole = examples::read_inside(one, ids);
  const Tensor early = whole.early.select(1, -1);
  const int64_t layers = one.model->options.layers(), heads = one.model->options.heads(),
                last = ids.size(0) - 1, best = early[layers].argmax().item<int64_t>();
  const auto print = [](const std::string& name, const std::vector<std::string>& cells) {
    std::printf("%-16s", name.c_str());
    for (const std::string& cell : cells) std::printf("%12s", cell.c_str());
    std::printf("\n");
  };
  print("read after", {});
  for (int64_t i = 0; i <= layers; ++i)
    print(i == 0 ? "the embedding" : etude::str("block ", i - 1), best_of(one, early[i]));
  print("\n" + quoted(one, ids[last].item<int64_t>()) + " looks most at", {});
  for (int64_t layer = 0; layer < layers; ++layer)
    for (int64_t head = 0; head < heads; ++head) {
      const Tensor weights = whole.attention[layer][head][last];
      const int64_t place = weights.argmax().item<int64_t>();
      print("head " + examples::name_of({layer, head}),
            {quoted(one, ids[place].item<int64_t>()) + " " + number(weights[place].item<double>()),
             etude::str(last - place, " back")});
    }
  print("\nwithout", {});
  for (const std::string& part : examples::parts_of(one)) {
    const Tensor next = examples::read_inside(one, ids, {part}).early[layers][-1];
    std::vector<std::string> cells = best_of(one, next);
    cells.push_back(number((next[best] - early[layers][best]).item<double>()));
    print(part[0] == 'm' ? part : "head " + part, cells);
  }
  return examples::kDone;
}

int run(const examples::Program& program) {
  nn::GPT model = make_model();
  const Repeated tests = draw(kTests);
  Scores training;
  if (!train(model, tests, program, training)) return examples::kInterrupted;
  etude::manual_seed(program.seed);  // so that --resume with another seed tests other words
  model->eval();

  Report report{program};
  report.page.paragraph(
      "The model reads words that come again after 8 to 16 others, and has to say the next one. Losses are "
      "those of "
      "words that can be known: the second and later times.");
  draw_scores(training, program.output("scores.svg"));
  report.picture("loss.svg");
  report.picture("scores.svg");

  report.page.heading("Heads");
  report.page.paragraph(
      "A previous-token head looks at the word before, and brings each word together with the one that it "
      "follows. An "
      "induction head looks for a word that follows the present one, and so at what came after the last "
      "time. Without a "
      "head its part of z is zero.");
  const examples::HeadScores scores = examples::score_heads(model, tests);
  const Found found = find_heads(scores);
  const double harm = tell_about_heads(report, model, tests, scores, found);
  const Tensor ids =
      examples::repeat_words(kVocabulary, kLength, etude::full({1, 1}, kLongest, etude::kLong)).ids[0];
  report.attention("previous_token.svg", "A previous-token head:", found.previous[0], model, ids);
  report.attention("induction.svg", "An induction head:", found.induction[0], model, ids);

  report.page.heading("Layers");
  report.page.paragraph(
      "What the model would say if it ended here: its last norm and its output layer after each block.");
  tell_about_layers(report, model, tests);

  report.page.heading("Places");
  report.page.paragraph(
      "Two prompts differ in one word, the one that is the answer. The model reads the corrupt one, but gets "
      "what it "
      "had in the clean one at one position of one point. 1 is the clean answer, 0 the corrupt one, means of "
      "64 pairs: "
      "the answer goes from its place to the last word in the attention of layer 1.");
  tell_about_places(report, model);
  report.page.save(program.output("look_inside.html"));

  const double best = scores.induction.max().item<double>();
  std::printf("induction score %.3f; without these heads the loss is %.3f more than without others\n", best,
              harm);
  return program.judge("an induction score above 0.6, and a loss that is 1 more", best > 0.6 && harm > 1);
}

}  // namespace

int main(int argc, char** argv) {
  examples::Program program("look_inside",
                            "Trains a GPT of two layers on words that come again and again, and looks "
                            "inside: which heads copy, what is lost "
                            "without them, what each layer knows, and where the answer is. --out gets a page "
                            "of it, look_inside.html, its "
                            "pictures and a checkpoint.",
                            600,
                            {"", "--seed 7 --out heads", "--out heads --resume",
                             "--model docs/live/inside/gpt.safetensors --text 'Call me Ishma'"},
                            "Go on with the checkpoint in --out, or look inside if it is complete");
  std::string model, text = "the dog saw its";
  program.add_text("--model", model, "Train nothing, and look inside a GPT of characters instead", "FILE");
  program.add_text("--text", text, "What the model of --model reads");
  return program.run(argc, argv, [&] { return model.empty() ? run(program) : look_at(model, text); });
}
