#pragma once

#include "etude/attention.h"
#include "etude/linear.h"

namespace etude::nn {

struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads), kdim_(embed_dim), vdim_(embed_dim) {}
  /// The width of queries and outputs.
  ETUDE_ARG(int64_t, embed_dim);
  /// Each head has the width embed_dim / num_heads.
  ETUDE_ARG(int64_t, num_heads);
  /// The probability that an attention weight is dropped.
  ETUDE_ARG(double, dropout) = 0.0;
  /// Whether the projections have biases.
  ETUDE_ARG(bool, bias) = true;
  /// Appends a learned key and a learned value to every sequence.
  ETUDE_ARG(bool, add_bias_kv) = false;
  /// Appends a key and a value of zeros to every sequence.
  ETUDE_ARG(bool, add_zero_attn) = false;
  /// The width of keys; embed_dim unless given.
  ETUDE_ARG(int64_t, kdim);
  /// The width of values; embed_dim unless given.
  ETUDE_ARG(int64_t, vdim);
  /// Whether inputs are [batch, sequence, width] instead of [sequence, batch, width] (Python's argument).
  ETUDE_ARG(bool, batch_first) = false;
};

namespace functional {

struct MultiheadAttentionForwardFuncOptions {
  MultiheadAttentionForwardFuncOptions(int64_t embed_dim_to_check, int64_t num_heads, Tensor in_proj_weight,
                                       Tensor in_proj_bias, Tensor bias_k, Tensor bias_v, bool add_zero_attn,
                                       double dropout_p, Tensor out_proj_weight, Tensor out_proj_bias)
      : embed_dim_to_check_(embed_dim_to_check),
        num_heads_(num_heads),
        in_proj_weight_(std::move(in_proj_weight)),
        in_proj_bias_(std::move(in_proj_bias)),
        bias_k_(std::move(bias_k)),
        bias_v_(std::move(bias_v)),
        add_zero_attn_(add_zero_attn),
        dropout_p_(dropout_p),
        out_proj_weight_(std::move(out_proj_weight)),
        out_proj_bias_(std::move(out_proj_bias)) {}
  /// The width that queries must have.
  ETUDE_ARG(int64_t, embed_dim_to_check);
  /// Each head has the width embed_dim / num_heads.
  ETUDE_ARG(int64_t, num_heads);
  /// The stacked projections to queries, keys and values: [3 embed_dim, embed_dim].
  ETUDE_ARG(Tensor, in_proj_weight);
  /// The stacked biases of these projections: [3 embed_dim], undefined for none.
  ETUDE_ARG(Tensor, in_proj_bias);
  /// A key [1, 1, embed_dim] that is appended to every sequence; undefined for none.
  ETUDE_ARG(Tensor, bias_k);
  /// A value [1, 1, embed_dim] that is appended to every sequence; undefined for none.
  ETUDE_ARG(Tensor, bias_v);
  /// Appends a key and a value of zeros to every sequence.
  ETUDE_ARG(bool, add_zero_attn);
  /// The probability that an attention weight is dropped in training.
  ETUDE_ARG(double, dropout_p);
  /// The projection of the outputs: [embed_dim, embed_dim].
  ETUDE_ARG(Tensor, out_proj_weight);
  /// The bias of the outputs: [embed_dim], undefined for none.
  ETUDE_ARG(Tensor, out_proj_bias);
  /// Whether dropout is active.
  ETUDE_ARG(bool, training) = true;
  /// [N, S], true for keys that are padding.
  ETUDE_ARG(Tensor, key_padding_mask) = {};
  /// Whether the attention weights are returned.
  ETUDE_ARG(bool, need_weights) = true;
  /// [L, S] or [N * num_heads, L, S]: true where a query may not attend, or numbers added to the scores.
  ETUDE_ARG(Tensor, attn_mask) = {};
  /// Whether the next three weights replace in_proj_weight.
  ETUDE_ARG(bool, use_separate_proj_weight) = false;
  /// The projection to queries: [embed_dim, embed_dim].
  ETUDE_ARG(Tensor, q_proj_weight) = {};
  /// The projection to keys: [embed_dim, kdim].
  ETUDE_ARG(Tensor, k_proj_weight) = {};
  /// The projection to values: [embed_dim, vdim].
  ETUDE_ARG(Tensor, v_proj_weight) = {};
  /// Keys [N * num_heads, S, head_dim] that replace the projected ones.
  ETUDE_ARG(Tensor, static_k) = {};
  /// Values [N * num_heads, S, head_dim] that replace the projected ones.
  ETUDE_ARG(Tensor, static_v) = {};
  /// Whether the weights are averaged over the heads.
  ETUDE_ARG(bool, average_attn_weights) = true;
};

/// Attention with several heads, each on its own projection of the inputs (Vaswani et al. 2017, section 3.2.2;
/// torch::nn::functional::multi_head_attention_forward): query [L, N, E], key [S, N, kdim], value
/// [S, N, vdim], or all three without N -> output [L, N, E] and weights [N, L, S], or [N, num_heads, L, S] if
/// they are not averaged, or an undefined tensor if they are not needed.
///
/// A query that may attend to no key gets nan, as in PyTorch.
ETUDE_API std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace functional

/// Multi-head attention with its parameters (torch::nn::MultiheadAttention).
class ETUDE_API MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_) : options(options_) {
    MultiheadAttentionImpl::reset();
  }

  void reset() override;
  /// Draws input projections by xavier_uniform, bias_k and bias_v by xavier_normal; zeroes other biases; leaves out_proj.weight.
  void _reset_parameters();
  /// As functional::multi_head_attention_forward; with batch_first, inputs and output have the batch as the first dim.
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {}, bool average_attn_weights = true);

  /// The projected keys and values of forward(), in the form of a cache: both [N, num_heads, S, head_dim].
  std::pair<Tensor, Tensor> keys_and_values(const Tensor& key, const Tensor& value);
  /// forward() of a query over keys and values from keys_and_values(), with the weights per head.
  std::tuple<Tensor, Tensor> attend(const Tensor& query, const std::pair<Tensor, Tensor>& keys_and_values,
                                    const Tensor& key_padding_mask = {}, bool need_weights = true,
                                    const Tensor& attn_mask = {});

  MultiheadAttentionOptions options;
  bool _qkv_same_embed_dim = true;
  Tensor in_proj_weight;  ///< [3 embed_dim, embed_dim], undefined if keys or values have another width
  Tensor in_proj_bias;    ///< [3 embed_dim]
  Tensor bias_k;          ///< [1, 1, embed_dim]
  Tensor bias_v;          ///< [1, 1, embed_dim]
  Linear out_proj = nullptr;
  Tensor q_proj_weight;  ///< [embed_dim, embed_dim], instead of in_proj_weight
  Tensor k_proj_weight;  ///< [embed_dim, kdim]
  Tensor v_proj_weight;  ///< [embed_dim, vdim]
  int64_t head_dim = 0;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({3, AnyValue(Tensor())}, {4, AnyValue(true)}, {5, AnyValue(Tensor())},
                           {6, AnyValue(true)})

 private:
  // Swaps batch and sequence if batch_first.
  Tensor turned(const Tensor& x) const {
    return options.batch_first() && x.dim() == 3 ? x.transpose(0, 1) : x;
  }
  functional::MultiheadAttentionForwardFuncOptions functional_options(const Tensor& key_padding_mask = {},
                                                                      bool need_weights = true,
                                                                      const Tensor& attn_mask = {}) const;
};
ETUDE_MODULE(MultiheadAttention);

}  // namespace etude::nn
