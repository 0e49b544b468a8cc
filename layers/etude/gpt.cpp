#include "etude/gpt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "etude/attention.h"
#include "etude/hook_point.h"
#include "etude/layer_norm.h"

namespace etude::nn {
namespace {

AnyModule make_norm(const GPTOptions& o) {
  if (o.rms_norm()) return AnyModule(RMSNorm(RMSNormOptions({o.d_model()}).eps(o.layer_norm_eps())));
  return AnyModule(LayerNorm(LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps())));
}

bool ends_with(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

double dropout_now(const Dropout& dropout) { return dropout->is_training() ? dropout->options.p() : 0; }

// Positions that start after left padding. Each padding key is hidden from all queries except the one at its own place, since a
// query without keys would get nan. Heads are rotated as without padding: their scores depend only on distances.
class PaddedPositions final : public Positions {
 public:
  PaddedPositions(Positions& positions, const Tensor& padding, int64_t batch)
      : positions_(positions), padding_(padding) {
    ETUDE_CHECK(padding.dim() == 1 && padding.size(0) == batch && padding.scalar_type() == kLong,
                "GPT: expected int64 left_padding of sizes [", batch, "], but got ",
                dtype_name(padding.scalar_type()), " of sizes ", padding.sizes());
    ETUDE_CHECK_VALUE(padding.ge(0).all().item<bool>(), "GPT: left_padding must not be negative");
  }

  Tensor embed(const Tensor& x, int64_t first) override {
    if (positions_.embed(x, first).is_same(x)) return x;
    std::vector<Tensor> rows{x.narrow(0, 0, 0)};
    for (int64_t i = 0; i < x.size(0); ++i) {
      const int64_t padding = padding_[i].item<int64_t>(),
                    here = std::clamp<int64_t>(padding - first, 0, x.size(1));
      const Tensor row = x.narrow(0, i, 1), behind = row.narrow(1, here, x.size(1) - here);
      rows.push_back(
          cat({row.narrow(1, 0, here), positions_.embed(behind, std::max<int64_t>(first - padding, 0))}, 1));
    }
    return cat(rows);
  }
  Tensor turn(const Tensor& x, int64_t first) override { return positions_.turn(x, first); }
  Tensor bias(int64_t queries, int64_t keys) override {
    if (bias_.defined()) return bias_;
    const Tensor key = arange(keys), query = arange(keys - queries, keys).unsqueeze(1),
                 hidden = (key < padding_.view({-1, 1, 1, 1})).logical_and(key != query),
                 of_positions = positions_.bias(queries, keys);
    bias_ = zeros(hidden.sizes()).masked_fill(hidden, -std::numeric_limits<double>::infinity());
    return bias_ = of_positions.defined() ? bias_ + of_positions : bias_;
  }

 private:
  Positions& positions_;
  Tensor padding_, bias_;  // the bias is the same for all blocks
};

}  // namespace

void Conv1DImpl::reset() {
  detail::register_weight(*this, {in_features_, out_features_});
  bias = register_parameter("bias", with_bias_ ? etude::empty({out_features_}) : Tensor(), with_bias_);
  if (weight.defined()) reset_parameters(0.02);
}

std::string Conv1DImpl::extra_repr() const {
  return str("in_features=", in_features_, ", out_features=", out_features_, with_bias_ ? "" : ", bias=False",
             detail::quantized_repr(quantized));
}

void CausalSelfAttentionImpl::reset() {
  const int64_t width = options.d_model(), heads = options.heads(), kv_heads = options.key_heads(),
                d = options.head_width();
  ETUDE_CHECK(heads > 0 && (options.head_dim() != 0 || width % heads == 0),
              "embed_dim must be divisible by num_heads\nreceived d_model ", width, " and ", heads,
              " heads\nhint: or give the width of a head, head_dim");
  ETUDE_CHECK_VALUE(width >= 0 && d >= 0, "GPT: d_model and head_dim must not be negative, but got ", width,
                    " and ", options.head_dim());
  ETUDE_CHECK_VALUE(kv_heads > 0 && heads % kv_heads == 0,
                    "GPT: heads must be divisible by kv_heads, but got ", heads, " and ", kv_heads);
  etude::count_elements({3, heads, d});  // throws if the products below overflow
  c_attn = register_module(
      "c_attn", Conv1D(width, heads * d + 2 * (kv_heads * d), options.qkv_bias().value_or(options.bias())));
  c_proj = register_module("c_proj", Conv1D(heads * d, width, options.bias()));
  if (options.qk_norm()) {
    const auto norm = RMSNormOptions({d}).eps(options.layer_norm_eps());
    q_norm = register_module("q_norm", RMSNorm(norm));
    k_norm = register_module("k_norm", RMSNorm(norm));
  }
  attn_dropout = register_module("attn_dropout", Dropout(options.dropout()));
  resid_dropout = register_module("resid_dropout", Dropout(options.dropout()));
}

Tensor CausalSelfAttentionImpl::forward(const Tensor& x, Positions& positions, KeyValueCache::Layer* cache) {
  const int64_t batch = x.size(0), tokens = x.size(1), before = cache ? cache->length() : 0;
  const int64_t heads = options.heads(), kv_heads = options.key_heads(), d = options.head_width();
  // [batch, tokens, heads * d] -> [batch, heads, tokens, d]
  const auto by_head = [&](const Tensor& t, int64_t count) {
    return t.view({batch, tokens, count, d}).transpose(1, 2);
  };
  const std::vector<Tensor> projected =
      c_attn(x).split_with_sizes({heads * d, kv_heads * d, kv_heads * d}, -1);
  Tensor q = by_head(projected[0], heads), k = by_head(projected[1], kv_heads),
         v = by_head(projected[2], kv_heads);
  if (options.qk_norm()) q = q_norm(q), k = k_norm(k);
  q = detail::turn_heads("hook_rot_q", q, positions, before);
  k = detail::turn_heads("hook_rot_k", k, positions, before);
  if (cache) std::tie(k, v) = cache->append(k, v);
  const Tensor z = functional::attention(q, k, v,
                                         functional::AttentionFuncOptions()
                                             .mask(positions.bias(tokens, before + tokens))
                                             .causal_from(before)
                                             .dropout_p(dropout_now(attn_dropout))
                                             .enable_gqa(true))
                       .first;
  return resid_dropout(c_proj(z.transpose(1, 2).reshape({batch, tokens, heads * d})));
}

void GPTMLPImpl::reset() {
  const int64_t inner = options.dim_feedforward() > 0 ? options.dim_feedforward()
                                                      : etude::detail::stacked_rows(4, options.d_model());
  c_fc = register_module("c_fc", Conv1D(options.d_model(), inner, options.bias()));
  if (options.swiglu()) c_gate = register_module("c_gate", Conv1D(options.d_model(), inner, options.bias()));
  c_proj = register_module("c_proj", Conv1D(inner, options.d_model(), options.bias()));
  dropout = register_module("dropout", Dropout(options.dropout()));
}

Tensor GPTMLPImpl::forward(const Tensor& x) {
  const Tensor inner = c_fc(x);
  return dropout(c_proj(options.swiglu() ? etude::silu(inner) * c_gate(x) : etude::gelu(inner, "tanh")));
}

void GPTBlockImpl::reset() {
  ln_1 = make_norm(options);
  register_module("ln_1", ln_1.ptr());
  attn = register_module("attn", CausalSelfAttention(options));
  ln_2 = make_norm(options);
  register_module("ln_2", ln_2.ptr());
  mlp = register_module("mlp", GPTMLP(options));
}

Tensor GPTBlockImpl::forward(const Tensor& x, Positions& positions, KeyValueCache::Layer* cache) {
  const Tensor mid = detail::inner_point("hook_resid_mid", x + attn(ln_1.forward(x), positions, cache));
  return mid + mlp(ln_2.forward(mid));
}

void GPTImpl::reset() {
  ETUDE_CHECK_VALUE(options.layers() >= 0, "GPT: layers must not be negative, but got ", options.layers());
  ETUDE_CHECK_VALUE(options.dim_feedforward() >= 0, "GPT: dim_feedforward must not be negative, but got ",
                    options.dim_feedforward(), "\nhint: 0 stands for four times d_model");
  wte = register_module("wte", Embedding(options.vocab_size(), options.d_model()));
  if (options.positions()) {
    positions = std::dynamic_pointer_cast<Positions>(options.positions()->clone());
    register_module<Module>("positions", positions);
  } else {
    const LearnedPositions wpe(options.context(), options.d_model());
    positions = register_module("wpe", wpe);
  }
  drop = register_module("drop", Dropout(options.dropout()));
  h = register_module("h", ModuleList());
  for (int64_t i = 0; i < options.layers(); ++i) h->push_back(GPTBlock(options));
  ln_f = make_norm(options);
  register_module("ln_f", ln_f.ptr());
  if (!options.tied_head())
    lm_head = register_module("lm_head",
                              Linear(LinearOptions(options.d_model(), options.vocab_size()).bias(false)));
  reset_parameters();
}

void GPTImpl::reset_parameters() {
  const double into_sum = 0.02 / std::sqrt(2.0 * static_cast<double>(std::max<int64_t>(options.layers(), 1)));
  for (auto& [name, parameter] : named_parameters().pairs()) {
    if (options.positions() && name.rfind("positions.", 0) == 0) continue;
    if (ends_with(name, ".bias")) init::zeros_(parameter);
    else if (parameter.dim() == 1) init::ones_(parameter);
    else init::normal_(parameter, 0, ends_with(name, "c_proj.weight") ? into_sum : 0.02);
  }
}

Tensor GPTImpl::forward(const Tensor& ids, KeyValueCache* cache, const Tensor& left_padding) {
  return logits(through_blocks(ids, cache, left_padding));
}

Tensor GPTImpl::next_logits(const Tensor& ids, KeyValueCache* cache, const Tensor& left_padding) {
  return logits(through_blocks(ids, cache, left_padding).select(1, -1));
}

Tensor GPTImpl::loss(const Tensor& ids, const Tensor& next) {
  ETUDE_CHECK(head().defined() || next.sizes() == ids.sizes(), "Expected target size ", ids.sizes(), ", got ",
              next.sizes());
  if (!head().defined())
    return functional::cross_entropy(logits(through_blocks(ids)).flatten(0, -2), next.flatten());
  return functional::linear_cross_entropy(ln_f.forward(through_blocks(ids)), head(), next);
}

Tensor GPTImpl::logits(const Tensor& x) {
  const Tensor y = ln_f.forward(x);
  if (!options.tied_head()) return lm_head(y);
  return head().defined() ? functional::linear(y, head()) : quantized_linear(y, wte->quantized);
}

Tensor GPTImpl::through_blocks(const Tensor& ids, KeyValueCache* cache, const Tensor& left_padding) {
  const int64_t before = cache ? cache->length() : 0;
  ETUDE_CHECK(ids.dim() == 2, "GPT: expected ids of sizes [batch, sequence], but got ", ids.sizes());
  ETUDE_CHECK(!max_length() || before + ids.size(1) <= *max_length(), "GPT: a sequence of ",
              before + ids.size(1), " tokens is longer than the context of ", *max_length(),
              "\nhint: cut it, or make the model with a larger context");
  optional<PaddedPositions> padded;
  if (left_padding.defined()) padded.emplace(*positions, left_padding, ids.size(0));
  Positions& at = padded ? *padded : *positions;
  Tensor x = drop(detail::add_positions(wte(ids), at, before));
  const KeyValueCache::Attempt attempt(cache);
  for (size_t i = 0; i < h->size(); ++i)
    x = call(h->at<GPTBlockImpl>(i), x, at, cache ? &cache->layer(i, h->size()) : nullptr);
  return x;
}

KeyValueCache GPTImpl::make_cache(int64_t batch, int64_t capacity) const {
  return KeyValueCache(static_cast<int64_t>(h->size()), batch, options.key_heads(), capacity,
                       options.head_width(), wte->weight.defined() ? wte->weight.scalar_type() : kFloat);
}

}  // namespace etude::nn
