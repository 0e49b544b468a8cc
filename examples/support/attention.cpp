#include "support/attention.h"

#include "support/pictures.h"

namespace examples {

using etude::Tensor;

Tensor attention_weights(etude::nn::GPT& model, const Tensor& ids, int64_t layer) {
  return model->self_attention(ids).at(static_cast<size_t>(layer))[0];
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
