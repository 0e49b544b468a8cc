#include "inside.h"

#include <etude/etude.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "support/char_model.h"
#include "support/recipe.h"

namespace inside {

namespace nn = etude::nn;
using etude::Tensor;
using examples::CharModel;
using nlohmann::json;

namespace {

std::unique_ptr<CharModel> opened;
std::unique_ptr<etude::optim::AdamW> optimizer;  // of what has been learned since the model was opened

CharModel& model() {
  ETUDE_CHECK(opened, "no model is open");
  return *opened;
}

// Four digits, so that an answer is short and the same on every processor.
json rounded(const Tensor& numbers) {
  if (numbers.dim() == 0) return std::round(numbers.item<double>() * 1e4) / 1e4;
  json list = json::array();
  for (int64_t i = 0; i < numbers.size(0); ++i) list.push_back(rounded(numbers[i]));
  return list;
}

// The `count` most probable characters of probabilities [vocab].
json best_of(const Tensor& probabilities, int64_t count) {
  const auto [shares, ids] = probabilities.topk(count);
  json list = json::array();
  for (int64_t i = 0; i < count; ++i)
    list.push_back(
        {{"piece", model().tokenizer.decode({ids[i].item<int64_t>()})}, {"share", rounded(shares[i])}});
  return list;
}

Tensor ids_of(const json& question) {
  Tensor ids = examples::readable_ids(model(), question.at("text"));
  ETUDE_CHECK(ids.numel() != 0, "The text has no character that the model knows.");
  return ids;
}

json ask(const json& question) {
  const Tensor ids = ids_of(question);
  const auto reading =
      examples::read_inside(model(), ids, question.value("without", std::vector<std::string>()));
  json pieces = json::array(), numbers = json::array(), blocks = json::array();
  for (int64_t i = 0; i < ids.size(0); ++i) {
    numbers.push_back(ids[i].item<int64_t>());
    pieces.push_back(model().tokenizer.decode({ids[i].item<int64_t>()}));
  }
  for (int64_t block = 0; block < reading.early.size(0); ++block) {
    blocks.push_back(json::array());
    for (int64_t i = 0; i < ids.size(0); ++i) blocks.back().push_back(best_of(reading.early[block][i], 5));
  }
  return {{"pieces", pieces},
          {"ids", numbers},
          {"vectors", rounded(reading.vectors)},
          {"attention", rounded(reading.attention)},
          {"blocks", blocks},
          {"next", best_of(reading.early[-1][-1], model().tokenizer.vocab_size())}};
}

json learn(const json& question) {
  CharModel& one = model();
  const Tensor ids = examples::known_ids(one, question.at("text"));
  const int64_t window = std::min(ids.size(0) - 1, one.model->options.context()), batch = 8;
  ETUDE_CHECK(window > 0, "To learn from, the text needs at least two characters that the model knows.");
  if (!optimizer)
    optimizer = std::make_unique<etude::optim::AdamW>(
        examples::make_adamw(one.model->parameters(), 5e-4, /*weight_decay=*/0.1));
  const Tensor places = etude::arange(window);
  json losses = json::array();
  for (int64_t step = 0; step < question.at("steps"); ++step) {
    const Tensor at = etude::randint(ids.size(0) - window, {batch, 1}, etude::kLong) + places;
    optimizer->zero_grad();
    const Tensor loss = one.model->loss(ids.index({at}), ids.index({at + 1}));
    loss.backward();
    nn::utils::clip_grad_norm_(one.model->parameters(), 1.0);
    optimizer->step();
    losses.push_back(rounded(loss.detach()));
  }
  return {{"losses", losses}};
}

json write(const json& question) {
  const etude::NoGradGuard no_grad;
  const Tensor ids = ids_of(question).unsqueeze(0);
  const int64_t count = question.at("count");
  const Tensor all = nn::generate(
      model().model, ids, nn::GenerateOptions(count).sample(true).temperature(question.at("temperature")))[0];
  const Tensor some = all.narrow(0, ids.size(1), count).contiguous();
  return {{"text", model().tokenizer.decode({some.data_ptr<int64_t>(), static_cast<size_t>(some.numel())})}};
}

}  // namespace

void open(const std::string& path) {
  optimizer.reset();
  opened = std::make_unique<CharModel>(examples::load_char_model(path));
}

std::string answer(const std::string& name, const std::string& question) {
  try {
    const json asked = json::parse(question);
    if (name == "ask") return ask(asked).dump();
    if (name == "learn") return learn(asked).dump();
    if (name == "write") return write(asked).dump();
    return json{{"error", "there is no question " + name}}.dump();
  } catch (const etude::Error& error) {
    return json{{"error", error.what_without_backtrace()}}.dump();
  } catch (const std::exception& error) {
    return json{{"error", error.what()}}.dump();
  }
}

}  // namespace inside
