#include "support/golden_layers.h"

#include <string>

#include "etude/multihead_attention.h"
#ifndef etude
#include "etude/transformer_decoder.h"
#include "etude/transformer_encoder.h"
#endif

namespace etude {
namespace {

namespace F = nn::functional;
using Call = GoldenCall;
using List = std::vector<Tensor>;

List attend(const Call& c, const Tensor& x, const Tensor& y, const Tensor& padding, const Tensor& mask) {
  const bool average = !c.has("average") || c.flag("average");
  const auto [output, weights] =
      F::multi_head_attention_forward(x, y, y,
                                      F::MultiheadAttentionForwardFuncOptions(
                                          x.size(-1), c.integer("heads"), c["in_w"], c["in_b"], {}, {},
                                          /*add_zero_attn=*/false, /*dropout_p=*/0, c["out_w"], c["out_b"])
                                          .training(false)
                                          .key_padding_mask(padding)
                                          .attn_mask(mask)
                                          .average_attn_weights(average));
  return {output, weights};
}

#ifndef etude
void replace(nn::MultiheadAttention& attention, const List& p, size_t& next) {
  for (Tensor* parameter : {&attention->in_proj_weight, &attention->in_proj_bias,
                            &attention->out_proj->weight, &attention->out_proj->bias})
    *parameter = p.at(next++);
}

template <typename Layer>
void replace(Layer& layer, const List& p, size_t& next) {
  layer->weight = p.at(next++);
  layer->bias = p.at(next++);
}

template <typename Options>
Options layer_options(const Call& c, int64_t width, int64_t inner) {
  return Options(width, c.integer("heads"))
      .dim_feedforward(inner)
      .dropout(0)
      .batch_first(true)
      .norm_first(c.flag("norm_first"));
}

List encode(const Call& c, const Tensor& mask, const Tensor& padding) {
  const Tensor x = c["x"];
  const List p = c.list("p");
  auto options = layer_options<nn::TransformerEncoderLayerOptions>(c, x.size(-1), p.at(4).size(0));
  if (c.text("activation") == "gelu") options.activation(kGELU);
  nn::TransformerEncoderLayer layer(options);
  size_t next = 0;
  replace(layer->self_attn, p, next);
  replace(layer->linear1, p, next);
  replace(layer->linear2, p, next);
  replace(layer->norm1, p, next);
  replace(layer->norm2, p, next);
  return {layer(x, mask, padding)};
}

List decode(const Call& c) {
  const Tensor x = c["x"];
  const List p = c.list("p");
  nn::TransformerDecoderLayer layer(
      layer_options<nn::TransformerDecoderLayerOptions>(c, x.size(-1), p.at(8).size(0)));
  size_t next = 0;
  replace(layer->self_attn, p, next);
  replace(layer->multihead_attn, p, next);
  replace(layer->linear1, p, next);
  replace(layer->linear2, p, next);
  replace(layer->norm1, p, next);
  replace(layer->norm2, p, next);
  replace(layer->norm3, p, next);
  return {layer(x, c["mem"], c["mask"])};
}
#endif

}  // namespace

std::map<std::string, GoldenOp> golden_layers() {
  return {
      {"mha", [](const Call& c) { return attend(c, c["x"], c["x"], {}, {}); }},
      {"mha_cross", [](const Call& c) { return attend(c, c["x"], c["y"], {}, {}); }},
      {"mha_pad", [](const Call& c) { return attend(c, c["x"], c["x"], c["pad"], {}); }},
      {"mha_mask", [](const Call& c) { return attend(c, c["x"], c["x"], {}, c["mask"]); }},
#ifndef etude
      {"encoder_layer", [](const Call& c) { return encode(c, {}, {}); }},
      {"encoder_layer_mask", [](const Call& c) { return encode(c, c["mask"], c["pad"]); }},
      {"decoder_layer", [](const Call& c) { return decode(c); }},
#endif
  };
}

}  // namespace etude
