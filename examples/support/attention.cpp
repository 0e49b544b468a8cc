#include "support/attention.h"

#include <cmath>
#include <limits>

#include "support/pictures.h"

namespace examples {

using etude::Tensor;
namespace nn = etude::nn;

Tensor attention_weights(nn::GPT& model, const Tensor& ids, int64_t layer) {
  const etude::NoGradGuard no_grad;
  const nn::EvalMode eval_mode(*model);
  nn::Positions& positions = *model->positions;
  Tensor x = positions.embed(model->wte(ids), 0);
  for (int64_t i = 0; i < layer; ++i)
    x = model->h->at<nn::GPTBlockImpl>(static_cast<size_t>(i)).forward(x, positions);
  auto& block = model->h->at<nn::GPTBlockImpl>(static_cast<size_t>(layer));
  const int64_t length = ids.size(1), heads = model->options.heads();
  const std::vector<Tensor> projected = block.attn->c_attn(block.ln_1.forward(x)).chunk(3, -1);
  const auto by_head = [&](const Tensor& t) { return t.view({length, heads, -1}).transpose(0, 1); };
  const Tensor q = positions.turn(by_head(projected[0]), 0), k = positions.turn(by_head(projected[1]), 0);
  Tensor scores = q.matmul(k.transpose(1, 2)) / std::sqrt(static_cast<double>(q.size(-1)));
  const Tensor bias = positions.bias(length, length);
  if (bias.defined()) scores = scores + bias;
  const Tensor later = etude::ones({length, length}, etude::kBool).triu(1);
  return etude::softmax(scores.masked_fill(later, -std::numeric_limits<double>::infinity()), -1);
}

void save_attention(const std::filesystem::path& path, const std::string& title, const Tensor& weights,
                    const std::vector<std::string>& tokens) {
  HeatMap map;
  map.title = title;
  map.description = "Each row is a token, and shows how much it looks at the tokens of the columns.";
  map.x_label = "looks at";
  map.y_label = "token";
  map.rows = weights.size(0);
  map.columns = weights.size(1);
  const Tensor numbers = weights.to(etude::kDouble).contiguous();
  map.values.assign(numbers.data_ptr<double>(), numbers.data_ptr<double>() + numbers.numel());
  map.colours = tutorials::Colours::sequential;
  for (const std::string& token : tokens)
    map.row_names.push_back(token == " " ? "␣" : token == "\n" ? "⏎" : token);
  map.column_names = map.row_names;
  save_heat_map(path, map);
}

}  // namespace examples
