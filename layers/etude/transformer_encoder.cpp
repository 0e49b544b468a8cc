#include "etude/transformer_encoder.h"

namespace etude::nn {

void TransformerEncoderLayerImpl::reset() {
  const int64_t width = options.d_model();
  const auto norm_options = LayerNormOptions({width}).eps(options.layer_norm_eps());
  self_attn =
      register_module("self_attn", MultiheadAttention(MultiheadAttentionOptions(width, options.nhead())
                                                          .dropout(options.dropout())
                                                          .batch_first(options.batch_first())));
  linear1 = register_module("linear1", Linear(width, options.dim_feedforward()));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), width));
  norm1 = register_module("norm1", LayerNorm(norm_options));
  norm2 = register_module("norm2", LayerNorm(norm_options));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
}

void TransformerEncoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  norm1->reset_parameters();
  norm2->reset_parameters();
}

Tensor TransformerEncoderLayerImpl::attend(const Tensor& x, const Tensor& mask,
                                           const Tensor& key_padding_mask) {
  return dropout1(std::get<0>(self_attn(x, x, x, key_padding_mask, /*need_weights=*/false, mask)));
}

Tensor TransformerEncoderLayerImpl::feed_forward(const Tensor& x) {
  return dropout2(linear2(dropout(functional::activate(linear1(x), options.activation()))));
}

Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask) {
  if (options.norm_first()) {
    const Tensor x = src + attend(norm1(src), src_mask, src_key_padding_mask);
    return x + feed_forward(norm2(x));
  }
  const Tensor x = norm1(src + attend(src, src_mask, src_key_padding_mask));
  return norm2(x + feed_forward(x));
}

}  // namespace etude::nn
