#pragma once

#include "etude/dropout.h"
#include "etude/embedding.h"
#include "etude/key_value_cache.h"
#include "etude/linear.h"
#include "etude/module_list.h"
#include "etude/positions.h"
#include "etude/rms_norm.h"

namespace etude::nn {

/// Options of a GPT. The defaults are GPT-2. Newer models (Touvron et al. 2023) use rms_norm(true), swiglu(true),
/// bias(false), tied_head(false) and positions(RotaryPositions(d_model / heads, RotaryPairs::Half).ptr()). Llama 3 and Mistral also
/// use kv_heads, Qwen 2 qkv_bias(true), and Qwen 3 head_dim and qk_norm(true).
struct GPTOptions {
  explicit GPTOptions(int64_t vocab_size) : vocab_size_(vocab_size) {}
  /// The number of tokens in the vocabulary.
  ETUDE_ARG(int64_t, vocab_size);
  /// The longest sequence, in tokens, unless other positions are given.
  ETUDE_ARG(int64_t, context) = 1024;
  /// The width of the vectors between blocks.
  ETUDE_ARG(int64_t, d_model) = 768;
  /// The number of blocks.
  ETUDE_ARG(int64_t, layers) = 12;
  /// The number of heads of each attention.
  ETUDE_ARG(int64_t, heads) = 12;
  /// The heads of keys and values; each serves heads / kv_heads heads of queries (Ainslie et al. 2023). 0 means as many as heads.
  ETUDE_ARG(int64_t, kv_heads) = 0;
  /// The width of a head; 0 means d_model / heads.
  ETUDE_ARG(int64_t, head_dim) = 0;
  /// The width between the two linear layers of a block; 0 means 4 * d_model.
  ETUDE_ARG(int64_t, dim_feedforward) = 0;
  /// For embeddings, attention weights and the outputs that blocks add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  /// Added under the root in the norms.
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Uses RMSNorm instead of LayerNorm.
  ETUDE_ARG(bool, rms_norm) = false;
  /// Whether each head's query and key go through an RMSNorm before they are rotated (Dehghani et al. 2023; Qwen 3).
  ETUDE_ARG(bool, qk_norm) = false;
  /// Uses the gated silu(x W) * (x V) (Shazeer 2020) instead of gelu(x W) between the linear layers of a block.
  ETUDE_ARG(bool, swiglu) = false;
  /// Whether the linear layers have biases.
  ETUDE_ARG(bool, bias) = true;
  /// Whether the projection to queries, keys and values has a bias; if not given, `bias` decides.
  ETUDE_ARG(optional<bool>, qkv_bias) = nullopt;
  /// Whether the token embedding is also the output layer; otherwise there is an `lm_head`.
  ETUDE_ARG(bool, tied_head) = true;
  /// Replaces the trained position vectors of GPT-2. The model copies it, with its weights.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);

 public:
  /// kv_heads, or what 0 stands for.
  int64_t key_heads() const { return kv_heads_ == 0 ? heads_ : kv_heads_; }
  /// head_dim, or what 0 stands for.
  int64_t head_width() const { return head_dim_ == 0 ? d_model_ / std::max<int64_t>(heads_, 1) : head_dim_; }
};

/// y = x W + b, or x W without bias: [..., in_features] -> [..., out_features]. The weight is the transpose of a
/// Linear's weight, as in GPT-2's checkpoints.
class ETUDE_API Conv1DImpl : public Cloneable<Conv1DImpl> {
 public:
  Conv1DImpl(int64_t in_features, int64_t out_features, bool with_bias = true)
      : in_features_(in_features), out_features_(out_features), with_bias_(with_bias) {
    Conv1DImpl::reset();
  }
  void reset() override;
  /// Draws the weight from a normal distribution; the bias is zero.
  void reset_parameters(double std) {
    init::normal_(weight, 0, std);
    if (bias.defined()) init::zeros_(bias);
  }
  Tensor forward(const Tensor& input) {
    return quantized.defined() ? quantized_linear(input, quantized, bias)
                               : functional::linear(input, weight.t(), bias);
  }
  std::string extra_repr() const override;

  Tensor weight;              ///< [in_features, out_features]
  Tensor bias;                ///< [out_features], undefined without a bias
  QuantizedWeight quantized;  ///< replaces `weight` after quantize()

 private:
  int64_t in_features_, out_features_;
  bool with_bias_;
};
ETUDE_MODULE(Conv1D);

/// Causal self-attention: each token attends to itself and the tokens before it: [batch, sequence, d_model] -> the same.
class ETUDE_API CausalSelfAttentionImpl : public Cloneable<CausalSelfAttentionImpl> {
 public:
  explicit CausalSelfAttentionImpl(const GPTOptions& options_) : options(options_) {
    CausalSelfAttentionImpl::reset();
  }
  void reset() override;
  /// With a cache, `x` continues the sequence in the cache, and its keys and values are appended.
  Tensor forward(const Tensor& x, Positions& positions, KeyValueCache::Layer* cache = nullptr);

  GPTOptions options;
  Conv1D c_attn = nullptr;  ///< to queries, keys and values
  Conv1D c_proj = nullptr;
  RMSNorm q_norm = nullptr, k_norm = nullptr;  ///< empty unless options.qk_norm()
  Dropout attn_dropout = nullptr, resid_dropout = nullptr;
};
ETUDE_MODULE(CausalSelfAttention);

/// Linear, GELU (tanh form) or SwiGLU, linear: [..., d_model] -> the same.
class ETUDE_API GPTMLPImpl : public Cloneable<GPTMLPImpl> {
 public:
  explicit GPTMLPImpl(const GPTOptions& options_) : options(options_) { GPTMLPImpl::reset(); }
  void reset() override;
  Tensor forward(const Tensor& x);

  GPTOptions options;
  Conv1D c_fc = nullptr;
  Conv1D c_gate = nullptr;  ///< empty unless options.swiglu()
  Conv1D c_proj = nullptr;
  Dropout dropout = nullptr;
};
ETUDE_MODULE(GPTMLP);

/// x + attention(norm(x)), then x + mlp(norm(x)): [batch, sequence, d_model] -> the same.
class ETUDE_API GPTBlockImpl : public Cloneable<GPTBlockImpl> {
 public:
  explicit GPTBlockImpl(const GPTOptions& options_) : options(options_) { GPTBlockImpl::reset(); }
  void reset() override;
  Tensor forward(const Tensor& x, Positions& positions, KeyValueCache::Layer* cache = nullptr);

  GPTOptions options;
  AnyModule ln_1;  ///< a LayerNorm or an RMSNorm
  CausalSelfAttention attn = nullptr;
  AnyModule ln_2;
  GPTMLP mlp = nullptr;
};
ETUDE_MODULE(GPTBlock);

/// GPT-2: token and position embeddings, blocks with the norms first, a final norm, and the token embedding
/// again as the output layer (Radford et al. 2019, section 2.3). The state has the names and shapes of the
/// published checkpoints: `wte.weight`, `wpe.weight`, `h.0.ln_1.weight`, ...
class ETUDE_API GPTImpl : public Cloneable<GPTImpl> {
 public:
  explicit GPTImpl(const GPTOptions& options_) : options(options_) { GPTImpl::reset(); }

  void reset() override;
  /// Draws weights from N(0, 0.02^2), and c_proj weights with the standard deviation 0.02 / sqrt(2 * layers), since 2 * layers
  /// of their outputs are added up. Biases are 0 and norm weights 1; given positions keep their weights.
  void reset_parameters();
  /// ids [batch, sequence] -> logits [batch, sequence, vocab_size]: at each position for the next token.
  /// With a cache, the ids continue the sequence in it; it throws if gradients are recorded. left_padding, int64 [batch], is the
  /// number of padding tokens at the start of each row, counted from the first token in the cache. The other tokens get the
  /// logits that they would get without padding; the logits of padding are finite and have no meaning.
  Tensor forward(const Tensor& ids, KeyValueCache* cache = nullptr, const Tensor& left_padding = {});
  /// Only the logits of the last position, [batch, vocab_size], to choose the next token.
  Tensor next_logits(const Tensor& ids, KeyValueCache* cache = nullptr, const Tensor& left_padding = {});
  /// The mean cross entropy of the next tokens [batch, sequence] under forward(ids). It ignores targets of -100 and, unless the
  /// output layer is quantized, never holds all logits at once.
  Tensor loss(const Tensor& ids, const Tensor& next);
  /// An empty cache for `batch` sequences of at most `capacity` tokens.
  KeyValueCache make_cache(int64_t batch, int64_t capacity) const;
  /// The attention weights without dropout, one tensor [batch, heads, sequence, sequence] per block.
  std::vector<Tensor> self_attention(const Tensor& ids);
  /// The longest sequence, if the positions have a limit.
  optional<int64_t> max_length() const {
    ETUDE_CHECK(positions, "GPT: it has no positions", "\nit was moved from, or its `positions` became null");
    return positions->max_length();
  }

  GPTOptions options;
  Embedding wte = nullptr;   ///< token embedding and output layer
  Linear lm_head = nullptr;  ///< output layer if the head is not tied
  Dropout drop = nullptr;
  ModuleList h = nullptr;
  AnyModule ln_f;
  std::shared_ptr<Positions> positions;  ///< registered as `wpe`, or as `positions` if given

 private:
  Tensor through_blocks(const Tensor& ids, KeyValueCache* cache = nullptr, const Tensor& left_padding = {});
  const Tensor& head() const { return options.tied_head() ? wte->weight : lm_head->weight; }
  Tensor logits(const Tensor& x);
};
ETUDE_MODULE(GPT);

}  // namespace etude::nn
