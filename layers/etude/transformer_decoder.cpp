#include "etude/transformer_decoder.h"

namespace etude::nn {

// Registers the submodules in the order of Python's state dict.
void TransformerDecoderLayerImpl::reset() {
  const int64_t width = options.d_model();
  const auto attention_options = MultiheadAttentionOptions(width, options.nhead())
                                     .dropout(options.dropout())
                                     .batch_first(options.batch_first());
  const auto norm_options = LayerNormOptions({width}).eps(options.layer_norm_eps());
  self_attn = register_module("self_attn", MultiheadAttention(attention_options));
  multihead_attn = register_module("multihead_attn", MultiheadAttention(attention_options));
  linear1 = register_module("linear1", Linear(width, options.dim_feedforward()));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(options.dim_feedforward(), width));
  norm1 = register_module("norm1", LayerNorm(norm_options));
  norm2 = register_module("norm2", LayerNorm(norm_options));
  norm3 = register_module("norm3", LayerNorm(norm_options));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
  dropout3 = register_module("dropout3", Dropout(options.dropout()));
}

void TransformerDecoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  multihead_attn->_reset_parameters();
  linear1->reset_parameters();
  linear2->reset_parameters();
  norm1->reset_parameters();
  norm2->reset_parameters();
  norm3->reset_parameters();
}

Tensor TransformerDecoderLayerImpl::feed_forward(const Tensor& x) {
  return linear2(dropout(functional::activate(linear1(x), options.activation())));
}

// The layer, with both attentions as functions.
Tensor TransformerDecoderLayerImpl::through(Tensor x, const Attention& to_target,
                                            const Attention& to_memory) {
  if (options.norm_first()) {
    x = x + dropout1(to_target(norm1(x)));
    x = x + dropout2(to_memory(norm2(x)));
    return x + dropout3(feed_forward(norm3(x)));
  }
  x = norm1(x + dropout1(to_target(x)));
  x = norm2(x + dropout2(to_memory(x)));
  return norm3(x + dropout3(feed_forward(x)));
}

Tensor TransformerDecoderLayerImpl::forward(Tensor tgt, const Tensor& memory, const Tensor& tgt_mask,
                                            const Tensor& memory_mask, const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask) {
  const auto to_target = [&](const Tensor& x) {
    return std::get<0>(self_attn(x, x, x, tgt_key_padding_mask, /*need_weights=*/false, tgt_mask));
  };
  const auto to_memory = [&](const Tensor& x) {
    return std::get<0>(
        multihead_attn(x, memory, memory, memory_key_padding_mask, /*need_weights=*/false, memory_mask));
  };
  return through(std::move(tgt), to_target, to_memory);
}

Tensor TransformerDecoderLayerImpl::continue_target(const Tensor& tgt, KeyValueCache::Layer& past,
                                                    const KeyValueCache::Layer& memory,
                                                    const Tensor& tgt_mask,
                                                    const Tensor& memory_key_padding_mask, Tensor* weights) {
  const auto to_target = [&](const Tensor& x) {
    const auto [k, v] = self_attn->keys_and_values(x, x);
    return std::get<0>(self_attn->attend(x, past.append(k, v), {}, /*need_weights=*/false, tgt_mask));
  };
  const auto to_memory = [&](const Tensor& x) {
    const auto [y, w] =
        multihead_attn->attend(x, memory.all(), memory_key_padding_mask, /*need_weights=*/weights != nullptr);
    if (weights) *weights = w;
    return y;
  };
  return through(tgt, to_target, to_memory);
}

}  // namespace etude::nn
