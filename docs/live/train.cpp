// The module's side of the training page: trains the models of the terminal programs char_gpt and reverse one step at a
// time, and generates text with the GPT. JavaScript sends a name and JSON, and gets JSON.

#include <emscripten.h>
#include <etude/etude.h>
#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/char_trainer.h"
#include "support/pairs.h"
#include "support/reversal.h"
#include "train_writer.h"
#include "tutorials/support/text.h"

namespace {

namespace nn = etude::nn;
using etude::Tensor;
using examples::Alphabet, examples::CharText, examples::CharTrainer;
using nlohmann::json;

// The in-memory files through which texts and checkpoints are passed.
constexpr char kText[] = "/text.txt", kCheckpoint[] = "/checkpoint.safetensors";

// An array of numbers for JavaScript, which copies it.
// clang-format off
EM_JS(void, take_numbers, (const float* numbers, int count), {
  Module.numbers = HEAPF32.slice(numbers >> 2, (numbers >> 2) + count);
});
// clang-format on

void hand_out(const Tensor& numbers) {
  const Tensor floats = numbers.to(etude::kFloat).contiguous();
  take_numbers(floats.data_ptr<float>(), static_cast<int>(floats.numel()));
}

// Each instance of the module uses only one of the two, since both draw from the default generator.
std::unique_ptr<CharTrainer> gpt;
std::unique_ptr<live::CharWriter> writer;

struct Reversal {
  explicit Reversal(int64_t steps, uint64_t seed)
      : model(examples::make_reversal_model(alphabet)),
        unseen(examples::draw_unseen_reversals()),
        trainer(model, alphabet, examples::draw_reversal, steps, "reverse", seed) {}

  const Alphabet alphabet{examples::kReversalLetters};
  nn::EncoderDecoder model;
  const std::vector<examples::Pair> unseen;
  examples::PairTrainer trainer;
};
std::unique_ptr<Reversal> reversal;

template <typename Part>
Part& begun(const std::unique_ptr<Part>& part) {
  if (!part) throw std::runtime_error("nothing has begun");
  return *part;
}

// Facts about the text, the model and the progress of its training.
json about(CharTrainer& trainer) {
  int64_t parameters = 0;
  for (const Tensor& weight : trainer.model()->parameters()) parameters += weight.numel();
  const CharText& text = trainer.text();
  return {{"characters", text.ids.size(0)},
          {"different", text.tokenizer.vocab_size()},
          {"parameters", parameters},
          {"step", trainer.state().step()},
          {"steps", trainer.settings().steps},
          {"losses", trainer.state().losses().y},
          {"unseen", {{"x", trainer.unseen().x}, {"y", trainer.unseen().y}}},
          {"bigram", trainer.bigram_loss()},
          {"prompt", text.decode(text.unseen.narrow(0, 0, std::min<int64_t>(24, text.unseen.size(0))))}};
}

json begin(const json& asked) {
  examples::CharSettings s;
  s.layers = asked.value("layers", s.layers);
  s.heads = asked.value("heads", s.heads);
  s.width = asked.value("width", s.width);
  s.context = asked.value("context", s.context);
  s.batch = asked.value("batch", s.batch);
  s.lr = asked.value("lr", s.lr);
  s.steps = asked.value("steps", s.steps);
  s.seed = asked.value("seed", s.seed);
  writer.reset();
  gpt.reset();
  etude::manual_seed(s.seed);
  gpt = std::make_unique<CharTrainer>(CharText(tutorials::read_text(kText)), s);
  return about(*gpt);
}

json step(const json&) {
  CharTrainer& trainer = begun(gpt);
  writer.reset();  // its cache belongs to the old weights
  const double loss = trainer.step();
  trainer.state().note(loss);
  json done = {{"step", trainer.state().step()}, {"loss", loss}};
  if (trainer.is_due()) done["unseen"] = trainer.evaluate();
  return done;
}

json evaluate(const json&) { return {{"loss", begun(gpt).unseen_loss()}}; }

json save(const json&) {
  begun(gpt).state().save(kCheckpoint);
  return json::object();
}

json facts(const json&) { return examples::facts_of_checkpoint(kCheckpoint); }

json load(const json&) {
  begun(gpt).state().load(kCheckpoint);
  writer.reset();
  return about(*gpt);
}

// The ids of a text, which must not be empty and may contain only characters of the training text.
Tensor ids_of(const std::string& text) {
  const std::vector<int64_t> ids = begun(gpt).text().tokenizer.encode(text);
  if (ids.empty()) throw std::runtime_error("there must be a character to go on with");
  return etude::tensor(ids);
}

std::vector<std::string> characters_of(const Tensor& ids) {
  std::vector<std::string> characters;
  for (int64_t i = 0; i < ids.size(0); ++i) characters.push_back(gpt->text().decode(ids.narrow(0, i, 1)));
  return characters;
}

// The attention weights of every head: the numbers are [layers, heads, characters, characters].
json attention(const json& asked) {
  Tensor ids = ids_of(asked.at("prompt"));
  ids = ids.narrow(0, 0, std::min(ids.size(0), gpt->settings().context));
  const etude::NoGradGuard no_grad;
  hand_out(etude::cat(gpt->model()->self_attention(ids.unsqueeze(0))));
  return {{"characters", characters_of(ids)}};
}

nn::GenerateOptions options_of(const json& asked) {
  nn::GenerateOptions options(asked.value("length", 200));
  options.sample(true).temperature(asked.value("temperature", 0.8)).top_k(asked.value("top_k", 0));
  options.top_p(asked.value("top_p", 1.0)).repetition_penalty(asked.value("penalty", 1.0));
  return options.generator(etude::Generator(asked.value("seed", uint64_t{1})));
}

json write(const json& asked) {
  const Tensor ids = ids_of(asked.at("prompt"));
  writer = std::make_unique<live::CharWriter>(gpt->model(), ids, options_of(asked));
  const examples::CharSettings& s = gpt->settings();
  return {{"capacity", writer->cache().capacity()},
          {"bytes_per_character", s.layers * 2 * s.width * static_cast<int64_t>(sizeof(float))}};
}

// Draws one more character, and returns the most probable candidates with it.
json next(const json&) {
  live::CharWriter& w = begun(writer);
  w.read();
  const auto [probabilities, tokens] = w.plain().topk(std::min<int64_t>(12, w.plain().size(0)));
  const std::vector<std::string> characters = characters_of(tokens);
  json bars = json::array();
  for (int64_t i = 0; i < tokens.size(0); ++i)
    bars.push_back({{"character", characters[static_cast<size_t>(i)]},
                    {"plain", probabilities[i].item<double>()},
                    {"drawn_from", w.drawn_from()[tokens[i].item<int64_t>()].item<double>()}});
  const int64_t token = w.draw();
  return {{"character", gpt->text().decode(etude::tensor({token}))},
          {"bars", bars},
          {"cache", w.cache().length()},
          {"beyond", w.is_beyond_cache()},
          {"done", w.is_done()}};
}

json beams(const json& asked) {
  const Tensor ids = ids_of(asked.at("prompt"));
  nn::GenerateOptions options(asked.value("length", 200));
  options.beams(asked.at("beams")).repetition_penalty(asked.value("penalty", 1.0));
  const Tensor all = nn::generate(gpt->model(), ids.unsqueeze(0), options)[0];
  return {{"text", gpt->text().decode(all.narrow(0, ids.size(0), all.size(0) - ids.size(0)).contiguous())}};
}

json reverse_begin(const json& asked) {
  const uint64_t seed = asked.value("seed", uint64_t{1});
  reversal.reset();
  etude::manual_seed(seed);
  reversal = std::make_unique<Reversal>(asked.value("steps", int64_t{1200}), seed);
  return json::object();
}

json reverse_step(const json&) {
  examples::PairTrainer& trainer = begun(reversal).trainer;
  const double loss = trainer.step();
  trainer.state().note(loss);
  return {{"step", trainer.state().step()}, {"loss", loss}};
}

// The output for a word, and the cross-attention when the decoder is given the reversed word: [letters + end, letters].
json reverse_look(const json& asked) {
  Reversal& r = begun(reversal);
  const std::string word = asked.at("word");
  const bool is_known = std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!is_known || word.empty() || word.size() > examples::kLongestReversal)
    throw std::runtime_error("a word has 1 to " + std::to_string(examples::kLongestReversal) +
                             " letters from a to z");
  const examples::Pair pair = {word, {word.rbegin(), word.rend()}};
  const etude::NoGradGuard no_grad;
  hand_out(examples::cross_attention_weights(r.model, r.alphabet, pair));
  return {{"made", examples::translate(r.model, r.alphabet, {pair}, examples::kLongestReversal)[0]}};
}

// The number of the first hundred unseen words that are reversed without an error.
json reverse_score(const json&) {
  Reversal& r = begun(reversal);
  const std::vector<examples::Pair> some(r.unseen.begin(), r.unseen.begin() + 100);
  return {{"exact", examples::count_exact(
                        some, examples::translate(r.model, r.alphabet, some, examples::kLongestReversal))},
          {"of", some.size()}};
}

// The number of bytes in use, without the blocks kept for later tensors, which vary from time to time.
json memory(const json&) {
  etude::memory::release();
  return {{"in_use", mallinfo().uordblks}};
}

const std::map<std::string, std::function<json(const json&)>> answers = {{"begin", begin},
                                                                         {"step", step},
                                                                         {"evaluate", evaluate},
                                                                         {"save", save},
                                                                         {"facts", facts},
                                                                         {"load", load},
                                                                         {"attention", attention},
                                                                         {"memory", memory},
                                                                         {"write", write},
                                                                         {"next", next},
                                                                         {"beams", beams},
                                                                         {"reverse_begin", reverse_begin},
                                                                         {"reverse_step", reverse_step},
                                                                         {"reverse_look", reverse_look},
                                                                         {"reverse_score", reverse_score}};

}  // namespace

/// Answers a request by name; {"error": why} on failure.
extern "C" EMSCRIPTEN_KEEPALIVE const char* train_ask(const char* name, const char* asked) {
  static std::string answer;
  try {
    answer = answers.at(name)(json::parse(asked)).dump();
  } catch (const std::exception& error) {
    answer = json{{"error", error.what()}}.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return answer.c_str();
}
