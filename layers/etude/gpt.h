#pragma once

#include "etude/dropout.h"
#include "etude/embedding.h"
#include "etude/key_value_cache.h"
#include "etude/linear.h"
#include "etude/module_list.h"
#include "etude/positions.h"

namespace etude::nn {

/// The form of a GPT. What is given here is GPT-2's; today's models (Touvron et al. 2023) have rms_norm(true),
/// swiglu(true), bias(false), tied_head(false) and positions(RotaryPositions(d_model / heads,
/// RotaryPairs::Half).ptr()).
struct GPTOptions {
  explicit GPTOptions(int64_t vocab_size) : vocab_size_(vocab_size) {}
  ETUDE_ARG(int64_t, vocab_size);
  /// The longest sequence, in tokens, unless other positions are given.
  ETUDE_ARG(int64_t, context) = 1024;
  ETUDE_ARG(int64_t, d_model) = 768;
  ETUDE_ARG(int64_t, layers) = 12;
  ETUDE_ARG(int64_t, heads) = 12;
  /// The width between the two linear layers of a block; 0 stands for 4 d_model.
  ETUDE_ARG(int64_t, dim_feedforward) = 0;
  /// Of embeddings, attention weights and what blocks add to their input.
  ETUDE_ARG(double, dropout) = 0.1;
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// RMSNorm in place of LayerNorm.
  ETUDE_ARG(bool, rms_norm) = false;
  /// silu(x W) * (x V), gated (Shazeer 2020), in place of gelu(x W) between the linear layers of a block.
  ETUDE_ARG(bool, swiglu) = false;
  /// Whether the linear layers have biases.
  ETUDE_ARG(bool, bias) = true;
  /// Whether the embedding of tokens is the output layer too; else there is an `lm_head`.
  ETUDE_ARG(bool, tied_head) = true;
  /// What takes the place of the trained vectors of GPT-2; it is copied, with its weights.
  ETUDE_ARG(std::shared_ptr<Positions>, positions);
};

/// y = x W + b, or x W without bias, with the weight as GPT-2's checkpoints have it, the transpose of a Linear's:
/// [..., in_features] -> [..., out_features].
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
  Tensor forward(const Tensor& input) { return functional::linear(input, weight.t(), bias); }
  std::string extra_repr() const override;

  Tensor weight;  ///< [in_features, out_features]
  Tensor bias;    ///< [out_features], undefined without

 private:
  int64_t in_features_, out_features_;
  bool with_bias_;
};
ETUDE_MODULE(Conv1D);

/// Attention of a sequence over itself and what came before: [batch, sequence, d_model] -> the same.
class ETUDE_API CausalSelfAttentionImpl : public Cloneable<CausalSelfAttentionImpl> {
 public:
  explicit CausalSelfAttentionImpl(const GPTOptions& options_) : options(options_) {
    CausalSelfAttentionImpl::reset();
  }
  void reset() override;
  /// With a cache, `x` continues the sequence whose keys and values are in it, and joins them.
  Tensor forward(const Tensor& x, Positions& positions, KeyValueCache::Layer* cache = nullptr);

  GPTOptions options;
  Conv1D c_attn = nullptr;  ///< to queries, keys and values
  Conv1D c_proj = nullptr;
  Dropout attn_dropout = nullptr, resid_dropout = nullptr;
};
ETUDE_MODULE(CausalSelfAttention);

/// Linear, GELU (by tanh), linear, or SwiGLU between them: [..., d_model] -> the same.
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

/// GPT-2: embeddings of tokens and positions, blocks with the norms first, a final norm, and the token
/// embedding again as the output layer (Radford et al. 2019, section 2.3). Names and shapes of the state are
/// those of the published checkpoints: `wte.weight`, `wpe.weight`, `h.0.ln_1.weight`, ...
class ETUDE_API GPTImpl : public Cloneable<GPTImpl> {
 public:
  explicit GPTImpl(const GPTOptions& options_) : options(options_) { GPTImpl::reset(); }

  void reset() override;
  /// Draws weights, but for positions that were given, from N(0, 0.02^2), those of c_proj, which 2 * layers
  /// sums collect, with 1 / sqrt(2 * layers) of it; biases are zero and norms start without effect.
  void reset_parameters();
  /// ids [batch, sequence] -> logits [batch, sequence, vocab_size]: at each position those of the next token.
  /// With a cache the ids continue the sequence that it holds; without gradients only.
  Tensor forward(const Tensor& ids, KeyValueCache* cache = nullptr);
  /// The last of these logits alone, [batch, vocab_size]: all that choosing the next token takes.
  Tensor next_logits(const Tensor& ids, KeyValueCache* cache = nullptr);
  /// The mean cross entropy of the next tokens [batch, sequence] under forward(ids), -100 ones left out, without all logits at
  /// once.
  Tensor loss(const Tensor& ids, const Tensor& next);
  /// An empty cache for `batch` sequences of at most `capacity` tokens.
  KeyValueCache make_cache(int64_t batch, int64_t capacity) const;
  /// What each block's heads look at, one tensor [batch, heads, sequence, sequence] per block, without dropout.
  std::vector<Tensor> self_attention(const Tensor& ids);
  /// The longest sequence, if the positions know one.
  optional<int64_t> max_length() const {
    ETUDE_CHECK(positions, "GPT: it has no positions", "\nit was moved from, or its `positions` became null");
    return positions->max_length();
  }

  GPTOptions options;
  Embedding wte = nullptr;   ///< of tokens, and the output layer
  Linear lm_head = nullptr;  ///< the output layer, if the head is not tied
  Dropout drop = nullptr;
  ModuleList h = nullptr;
  AnyModule ln_f;
  std::shared_ptr<Positions> positions;  ///< `wpe`, or `positions` if they were given

 private:
  Tensor through_blocks(const Tensor& ids, KeyValueCache* cache = nullptr);
  const Tensor& head() const { return options.tied_head() ? wte->weight : lm_head->weight; }
  Tensor logits(const Tensor& x);
};
ETUDE_MODULE(GPT);

}  // namespace etude::nn
