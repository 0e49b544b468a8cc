// Attention, the layers of a GPT with GPT-2's names, and AdamW.
#pragma once

#include "mini/nn.h"

namespace mini::nn {

namespace functional {

// y = x weight^T + bias
inline Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {}) {
  const Tensor y = matmul(x, weight.t());
  return bias.defined() ? y + bias : y;
}
/// A mask as numbers to add to the scores: -infinity where a bool mask is true. A float mask is returned unchanged.
inline Tensor as_scores(const Tensor& mask) {
  const double hidden = -std::numeric_limits<double>::infinity();
  return mask.scalar_type() == kBool ? zeros(mask.sizes()).masked_fill(mask, hidden) : mask;
}
// y = softmax(q k^T / sqrt(d) + mask) v (Vaswani et al. 2017, section 3.2.1). A bool mask is true where a query may look; y is 0
// for a query that may look nowhere.
inline Tensor scaled_dot_product_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                           const Tensor& mask = {}, double dropout_p = 0) {
  Tensor scores = matmul(q, k.transpose(-2, -1)) / std::sqrt(static_cast<double>(q.size(-1)));
  const bool is_bool = mask.defined() && mask.scalar_type() == kBool;
  // A query that may look nowhere looks everywhere, until its weights become 0: else its gradient would be nan.
  if (mask.defined()) scores = scores + as_scores(is_bool ? mask < mask.any(-1).unsqueeze(-1) : mask);
  Tensor weights = softmax(scores, -1);
  if (is_bool) weights = weights.masked_fill(mask.logical_not(), 0);
  return matmul(dropout(weights, dropout_p, true), v);
}
// y = -mean of log_probabilities[i][target[i]]
inline Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target) {
  const Tensor is_target = arange(log_probabilities.size(1)) == target.unsqueeze(1);
  const bool fits =
      is_target.sizes() == log_probabilities.sizes() && is_target.sum().item<int64_t>() == target.numel();
  check<IndexError>(fits, "Target is out of bounds, or there is not one for each row.");
  return -log_probabilities.masked_fill(is_target.logical_not(), 0).sum() / target.numel();
}
inline Tensor cross_entropy(const Tensor& logits, const Tensor& target) {
  return nll_loss(log_softmax(logits, 1), target);
}

}  // namespace functional

struct LinearImpl : Module {
  LinearImpl(int64_t in, int64_t out, bool with_bias = true) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    weight = register_parameter("weight", empty({out, in}).uniform_(-bound, bound));
    if (with_bias) bias = register_parameter("bias", empty({out}).uniform_(-bound, bound));
  }
  Tensor forward(const Tensor& x) const { return functional::linear(x, weight, bias); }
  std::string extra_repr() const override {
    return str("in_features=", weight.size(1), ", out_features=", weight.size(0),
               ", bias=", bias.defined() ? "True" : "False");
  }
  Tensor weight, bias;  // [out, in], [out]
};
MINI_MODULE(Linear);

struct LayerNormOptions {
  LayerNormOptions(Sizes normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
  MINI_ARG(Sizes, normalized_shape);
  MINI_ARG(double, eps) = 1e-5;
};

struct LayerNormImpl : Module {
  explicit LayerNormImpl(const LayerNormOptions& options)
      : weight(register_parameter("weight", ones(options.normalized_shape()))),
        bias(register_parameter("bias", zeros(options.normalized_shape()))),
        options_(options) {}
  Tensor forward(const Tensor& x) const {
    return layer_norm(x, weight.sizes(), weight, bias, options_.eps());
  }
  std::string extra_repr() const override {
    return str("(", weight.size(0), ",), eps=", python_float(options_.eps()),
               ", elementwise_affine=True, bias=True");
  }
  Tensor weight, bias;
  LayerNormOptions options_;
};
MINI_MODULE(LayerNorm);

struct MultiheadAttentionOptions {
  MultiheadAttentionOptions(int64_t embed_dim, int64_t num_heads)
      : embed_dim_(embed_dim), num_heads_(num_heads) {}
  MINI_ARG(int64_t, embed_dim);
  MINI_ARG(int64_t, num_heads);
  MINI_ARG(bool, bias) = true;
};

/// Several attentions side by side, each on its own slice of the width (Vaswani et al. 2017, section 3.2.2).
struct MultiheadAttentionImpl : Module {
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& o)
      : out_proj(register_module("out_proj", Linear(o.embed_dim(), o.embed_dim(), o.bias()))),
        heads(o.num_heads()) {
    check(o.embed_dim() % heads == 0, "embed_dim must be divisible by num_heads");
    const double bound = std::sqrt(6.0 / static_cast<double>(4 * o.embed_dim()));  // Glorot and Bengio 2010
    in_proj_weight = register_parameter("in_proj_weight",
                                        empty({3 * o.embed_dim(), o.embed_dim()}).uniform_(-bound, bound));
    if (o.bias()) in_proj_bias = register_parameter("in_proj_bias", zeros({3 * o.embed_dim()}));
    const NoGradGuard no_grad;
    if (o.bias()) out_proj->bias.zero_();
  }
  /// query, key and value are [tokens, batch, embed_dim]. The masks, [batch, keys] and [queries, keys], are true where a key is
  /// hidden. The weights are [batch, queries, keys], or [batch, heads, queries, keys] if they are not averaged.
  std::pair<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& key_padding_mask = {}, bool need_weights = true,
                                    const Tensor& attn_mask = {}, bool average_attn_weights = true) const {
    const int64_t width = query.size(2), batch = query.size(1);
    const auto projected = [&](const Tensor& x, int64_t part) {  // [batch, heads, tokens, width / heads]
      const Tensor bias = in_proj_bias.defined() ? in_proj_bias.narrow(0, part * width, width) : Tensor();
      const Tensor y = functional::linear(x, in_proj_weight.narrow(0, part * width, width), bias);
      return y.view({x.size(0), batch, heads, width / heads}).permute({1, 2, 0, 3});
    };
    const Tensor q = projected(query, 0) / std::sqrt(static_cast<double>(width / heads));
    Tensor scores = matmul(q, projected(key, 1).transpose(-2, -1));  // [batch, heads, queries, keys]
    if (attn_mask.defined()) scores = scores + functional::as_scores(attn_mask);
    if (key_padding_mask.defined())
      scores = scores + functional::as_scores(key_padding_mask).unsqueeze(1).unsqueeze(1);
    const Tensor weights = softmax(scores, -1);
    const Tensor y = matmul(weights, projected(value, 2)).permute({2, 0, 1, 3}).reshape(query.sizes());
    if (!need_weights) return {out_proj(y), Tensor()};
    return {out_proj(y), average_attn_weights ? weights.mean(1) : weights};
  }
  Tensor in_proj_weight, in_proj_bias;  // [3 embed_dim, embed_dim]: queries, keys, values
  Linear out_proj;
  int64_t heads;
};
MINI_MODULE(MultiheadAttention);

// GPT-2 (Radford et al. 2019), with the parameter names of its checkpoints.

struct GPTOptions {
  GPTOptions(int64_t vocab_size) : vocab_size_(vocab_size) {}
  MINI_ARG(int64_t, vocab_size);
  MINI_ARG(int64_t, context) = 1024;
  MINI_ARG(int64_t, d_model) = 768;
  MINI_ARG(int64_t, layers) = 12;
  MINI_ARG(int64_t, heads) = 12;
  MINI_ARG(double, dropout) = 0.1;
};

// y = x weight + bias
struct Conv1DImpl : Module {
  Conv1DImpl(int64_t in, int64_t out)
      : weight(register_parameter("weight", empty({in, out}))),
        bias(register_parameter("bias", zeros({out}))) {}
  Tensor forward(const Tensor& x) const { return matmul(x, weight) + bias; }
  Tensor weight, bias;
};
MINI_MODULE(Conv1D);

/// Attention in which each token sees itself and the tokens before it.
struct CausalSelfAttentionImpl : Module {
  explicit CausalSelfAttentionImpl(const GPTOptions& o)
      : c_attn(register_module("c_attn", Conv1D(o.d_model(), 3 * o.d_model()))),
        c_proj(register_module("c_proj", Conv1D(o.d_model(), o.d_model()))),
        options_(o) {}
  Tensor forward(const Tensor& x) const {  // [batch, tokens, d_model]
    const int64_t batch = x.size(0), tokens = x.size(1), heads = options_.heads();
    Tensors parts = c_attn(x).chunk(3, -1);
    for (Tensor& part : parts) part = part.view({batch, tokens, heads, -1}).transpose(1, 2);
    const double p = is_training() ? options_.dropout() : 0;
    const Tensor seen = ones({tokens, tokens}, kBool).tril();
    const Tensor y = functional::scaled_dot_product_attention(parts[0], parts[1], parts[2], seen, p);
    return dropout(c_proj(y.transpose(1, 2).reshape(x.sizes())), p, true);
  }
  Conv1D c_attn, c_proj;
  GPTOptions options_;
};
MINI_MODULE(CausalSelfAttention);

struct GPTMLPImpl : Module {
  explicit GPTMLPImpl(const GPTOptions& o)
      : c_fc(register_module("c_fc", Conv1D(o.d_model(), 4 * o.d_model()))),
        c_proj(register_module("c_proj", Conv1D(4 * o.d_model(), o.d_model()))),
        p_(o.dropout()) {}
  Tensor forward(const Tensor& x) const { return dropout(c_proj(gelu(c_fc(x), "tanh")), p_, is_training()); }
  Conv1D c_fc, c_proj;
  double p_;
};
MINI_MODULE(GPTMLP);

struct GPTBlockImpl : Module {
  explicit GPTBlockImpl(const GPTOptions& o)
      : ln_1(register_module("ln_1", LayerNorm(LayerNormOptions({o.d_model()})))),
        attn(register_module("attn", CausalSelfAttention(o))),
        ln_2(register_module("ln_2", LayerNorm(LayerNormOptions({o.d_model()})))),
        mlp(register_module("mlp", GPTMLP(o))) {}
  Tensor forward(const Tensor& in) const {
    const Tensor x = in + attn(ln_1(in));
    return x + mlp(ln_2(x));
  }
  LayerNorm ln_1;
  CausalSelfAttention attn;
  LayerNorm ln_2;
  GPTMLP mlp;
};
MINI_MODULE(GPTBlock);

struct GPTImpl : Module {
  explicit GPTImpl(const GPTOptions& o)
      : options_(o),
        wte(register_module("wte", Embedding(o.vocab_size(), o.d_model()))),
        wpe(register_module("wpe", Embedding(o.context(), o.d_model()))),
        h(blocks(o)),
        ln_f(register_module("ln_f", LayerNorm(LayerNormOptions({o.d_model()})))) {
    reset_parameters();
  }
  std::vector<GPTBlock> blocks(const GPTOptions& o) {
    std::vector<GPTBlock> all;
    for (int64_t i = 0; i < o.layers(); ++i)
      all.push_back(register_module("h." + std::to_string(i), GPTBlock(o)));
    return all;
  }
  void reset_parameters() {
    const NoGradGuard no_grad;
    const double into_sum = 0.02 / std::sqrt(2.0 * static_cast<double>(h.size()));
    for (const Tensor& weight : {wte->weight, wpe->weight}) weight.normal_(0, 0.02);
    for (const GPTBlock& block : h) {
      block->attn->c_attn->weight.normal_(0, 0.02);
      block->attn->c_proj->weight.normal_(0, into_sum);
      block->mlp->c_fc->weight.normal_(0, 0.02);
      block->mlp->c_proj->weight.normal_(0, into_sum);
    }
  }
  Tensor forward(const Tensor& ids) const {  // [batch, tokens] -> [batch, tokens, vocab_size]
    check(ids.size(1) <= options_.context(), "GPT: ", ids.size(1), " tokens do not fit into its context");
    Tensor x = dropout(wte(ids) + wpe(arange(ids.size(1))), options_.dropout(), is_training());
    for (const GPTBlock& block : h) x = block(x);
    return matmul(ln_f(x), wte->weight.t());
  }
  GPTOptions options_;
  Embedding wte, wpe;
  std::vector<GPTBlock> h;
  LayerNorm ln_f;
};
MINI_MODULE(GPT);

}  // namespace mini::nn

namespace mini::optim {

struct AdamWOptions {
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}
  MINI_ARG(double, lr);
  MINI_ARG(double, eps) = 1e-8;
  MINI_ARG(double, weight_decay) = 0.01;
};

/// Adam with decoupled weight decay (Loshchilov and Hutter 2019), betas 0.9 and 0.999.
struct AdamW {
  explicit AdamW(Tensors parameters, const AdamWOptions& options = {})
      : parameters_(std::move(parameters)), options_(options) {
    for (const Tensor& p : parameters_) first_.push_back(zeros_like(p)), second_.push_back(zeros_like(p));
  }
  void zero_grad() const {
    for (const Tensor& p : parameters_) p.mutable_grad() = {};
  }
  // m = 0.9 m + 0.1 g,  v = 0.999 v + 0.001 g^2,  w -= lr (m / (1 - 0.9^t) / (sqrt(v / (1 - 0.999^t)) + eps) + decay w)
  void step() {
    const NoGradGuard no_grad;
    const auto t = static_cast<double>(++steps_);
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor &w = parameters_[i], &g = w.grad(), &m = first_[i], &v = second_[i];
      if (!g.defined()) continue;
      w.copy_(w * (1 - options_.lr() * options_.weight_decay()));
      m.copy_(m * 0.9 + g * 0.1);
      v.copy_(v * 0.999 + g * g * 0.001);
      const Tensor root = v.sqrt() / std::sqrt(1 - std::pow(0.999, t)) + options_.eps();
      w -= (options_.lr() / (1 - std::pow(0.9, t))) * (m / root);
    }
  }
  Tensors parameters_, first_, second_;
  AdamWOptions options_;
  int64_t steps_ = 0;
};

}  // namespace mini::optim
