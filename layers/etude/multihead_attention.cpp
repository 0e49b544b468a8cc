#include "etude/multihead_attention.h"

namespace etude::nn {

namespace functional {
namespace {

using Options = MultiheadAttentionForwardFuncOptions;

// Extends the mask by one key that every query may attend to.
Tensor with_one_more(const Tensor& mask) {
  if (!mask.defined()) return mask;
  std::vector<int64_t> column = mask.sizes().vec();
  column.back() = 1;
  return cat({mask, zeros(column, mask.options())}, -1);
}

Tensor given_mask(const Tensor& mask, const char* name, ScalarType dtype) {
  if (mask.defined() && mask.scalar_type() == kByte)
    ETUDE_WARN("Byte tensor for ", name, " in nn.MultiheadAttention is deprecated. Use bool tensor instead.");
  return added_to_scores(mask, name, TrueMeans::Hidden, dtype);
}

void check_dims(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options) {
  const bool batched = query.dim() == 3;
  ETUDE_CHECK(batched || query.dim() == 2, "query should be unbatched 2D or batched 3D tensor but received ",
              query.dim(), "-D query tensor");
  const char* const which = batched ? "batched (3-D)" : "unbatched (2-D)";
  ETUDE_CHECK(key.dim() == query.dim() && value.dim() == query.dim(), "For ", which,
              " `query`, expected `key` and `value` to be ", query.dim(), "-D but found ", key.dim(),
              "-D and ", value.dim(), "-D tensors respectively");
  const Tensor &padding = options.key_padding_mask(), &mask = options.attn_mask();
  ETUDE_CHECK(!padding.defined() || padding.dim() == query.dim() - 1, "For ", which,
              " `query`, expected `key_padding_mask` to be `None` or ", query.dim() - 1, "-D but found ",
              padding.defined() ? padding.dim() : 0, "-D tensor instead");
  ETUDE_CHECK(!mask.defined() || mask.dim() == 2 || mask.dim() == 3, "For ", which,
              " `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found ",
              mask.defined() ? mask.dim() : 0, "-D tensor instead");
}

// All inputs are [sequence, batch, width].
void check_sizes(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options) {
  const int64_t width = query.size(2), heads = options.num_heads();
  ETUDE_CHECK(width == options.embed_dim_to_check(), "was expecting embedding dimension of ",
              options.embed_dim_to_check(), ", but got ", width);
  ETUDE_CHECK(heads > 0 && width % heads == 0,
              "embed_dim must be divisible by num_heads\nreceived embed_dim ", width, " and ", heads,
              " heads");
  if (options.use_separate_proj_weight())
    ETUDE_CHECK(key.size(0) == value.size(0) && key.size(1) == value.size(1),
                "key's sequence and batch dims torch.Size([", key.size(0), ", ", key.size(1),
                "]) do not match value's torch.Size([", value.size(0), ", ", value.size(1), "])");
  else
    ETUDE_CHECK(key.sizes() == value.sizes(), "key shape torch.Size(", key.sizes(),
                ") does not match value shape torch.Size(", value.sizes(), ")");
  ETUDE_CHECK(key.size(1) == query.size(1), "query and key should have equal batch size, but got ",
              query.size(1), " and ", key.size(1), "\nhint: the batch is the second dim here");
}

void check_mask(const Tensor& mask, int64_t batches, int64_t targets, int64_t sources) {
  if (!mask.defined()) return;
  std::vector<int64_t> expected = {targets, sources};
  if (mask.dim() == 3) expected.insert(expected.begin(), batches);
  ETUDE_CHECK(mask.sizes() == IntArrayRef(expected), "The shape of the ", mask.dim(),
              "D attn_mask is torch.Size(", mask.sizes(), "), but should be (", Join(", ", expected), ").");
}

// The three projections, split among the heads: [sequence, batch, width] -> [batch, heads, sequence, d].
class Projections {
 public:
  explicit Projections(const Options& o)
      : heads_(o.num_heads()),
        weights_(o.use_separate_proj_weight()
                     ? std::vector<Tensor>{o.q_proj_weight(), o.k_proj_weight(), o.v_proj_weight()}
                     : o.in_proj_weight().chunk(3)),
        biases_(o.in_proj_bias().defined() ? o.in_proj_bias().chunk(3) : std::vector<Tensor>(3)) {}

  Tensor queries(const Tensor& x) const { return split(x, 0); }
  Tensor keys(const Tensor& x) const { return split(x, 1); }
  Tensor values(const Tensor& x) const { return split(x, 2); }

 private:
  // Input that lies batch by batch in memory is projected in that order, so that both layouts compute the same products.
  Tensor split(const Tensor& x, size_t which) const {
    const bool turned = !x.is_contiguous();
    const Tensor y = functional::linear(turned ? x.transpose(0, 1) : x, weights_[which], biases_[which]);
    const Tensor by_head = y.view({y.size(0), y.size(1), heads_, y.size(2) / heads_});
    return turned ? by_head.permute({0, 2, 1, 3}) : by_head.permute({1, 2, 0, 3});
  }

  int64_t heads_;
  std::vector<Tensor> weights_, biases_;
};

// [batch * heads, sequence, d] -> [batch, heads, sequence, d]
Tensor given_heads(const Tensor& given, const char* name, int64_t batch, int64_t heads, int64_t width) {
  ETUDE_CHECK(given.dim() == 3 && given.size(0) == batch * heads, "expecting ", name, ".size(0) of ",
              batch * heads, ", but got ", given.dim() > 0 ? given.size(0) : 0);
  ETUDE_CHECK(given.size(2) == width, "expecting ", name, ".size(2) of ", width, ", but got ", given.size(2));
  return given.view({batch, heads, given.size(1), width});
}

// Queries, keys and values by head, and the masks for the same number of keys.
struct Heads {
  Tensor q, k, v;             // [batch, heads, sequence, d]
  Tensor attn_mask, padding;  // added to the scores; [L, S] or [batch * heads, L, S], and [batch, S]

  // Appends a key and a value [heads, 1, d] that every query may attend to.
  void append(const Tensor& key, const Tensor& value) {
    const std::vector<int64_t> sizes = {k.size(0), k.size(1), 1, k.size(3)};
    k = cat({k, key.expand(sizes)}, 2);
    v = cat({v, value.expand(sizes)}, 2);
    attn_mask = with_one_more(attn_mask);
    padding = with_one_more(padding);
  }

  // Both masks combined, broadcast to [batch, heads, L, S].
  Tensor mask() const {
    const int64_t batch = k.size(0), sources = k.size(2);
    Tensor mask = attn_mask.defined() && attn_mask.dim() == 3
                      ? attn_mask.view({batch, k.size(1), q.size(2), sources})
                      : attn_mask;
    if (!padding.defined()) return mask;
    for (int64_t d = 0; d < 2; ++d)
      ETUDE_CHECK(padding.size(d) == k.size(2 * d), "Expected key_padded_mask.shape[", d, "] to be ",
                  k.size(2 * d), ", but got ", padding.size(d), "\nreceived a key_padding_mask of sizes ",
                  padding.sizes(), "; it has a row for each batch and a column for each key");
    const Tensor of_batch = padding.view({batch, 1, 1, sources});
    return mask.defined() ? mask + of_batch : of_batch;
  }
};

Heads make_heads(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options) {
  const Projections project(options);
  const int64_t batch = query.size(1), heads = options.num_heads(), d = query.size(2) / heads;
  const Tensor &static_k = options.static_k(), &static_v = options.static_v();
  Heads to;
  to.attn_mask = given_mask(options.attn_mask(), "attn_mask", query.scalar_type());
  to.padding = given_mask(options.key_padding_mask(), "key_padding_mask", query.scalar_type());
  check_mask(to.attn_mask, batch * heads, query.size(0), static_k.defined() ? static_k.size(1) : key.size(0));
  to.q = project.queries(query);
  to.k = static_k.defined() ? given_heads(static_k, "static_k", batch, heads, d) : project.keys(key);
  to.v = static_v.defined() ? given_heads(static_v, "static_v", batch, heads, d) : project.values(value);
  ETUDE_CHECK(options.bias_k().defined() == options.bias_v().defined(),
              "bias_k and bias_v are given together or not at all");
  if (options.bias_k().defined()) {
    ETUDE_CHECK(!static_k.defined(), "bias cannot be added to static key.");
    ETUDE_CHECK(!static_v.defined(), "bias cannot be added to static value.");
    to.append(options.bias_k().view({heads, 1, d}), options.bias_v().view({heads, 1, d}));
  }
  if (options.add_zero_attn()) to.append(zeros({1}, to.k.options()), zeros({1}, to.v.options()));
  return to;
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key,
                                                        const Tensor& value, const Options& options) {
  check_dims(query, key, value, options);
  if (query.dim() == 2) {
    Options batched = options;
    if (options.key_padding_mask().defined())
      batched.key_padding_mask(options.key_padding_mask().unsqueeze(0));
    const auto [output, weights] =
        multi_head_attention_forward(query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1), batched);
    return {output.squeeze(1), weights.defined() ? weights.squeeze(0) : weights};
  }
  check_sizes(query, key, value, options);
  const int64_t targets = query.size(0), batch = query.size(1);
  const Heads h = make_heads(query, key, value, options);
  const auto [by_head, weights] = attention(h.q, h.k, h.v,
                                            AttentionFuncOptions()
                                                .mask(h.mask())
                                                .dropout_p(options.training() ? options.dropout_p() : 0.0)
                                                .need_weights(options.need_weights()));
  const Tensor joined = by_head.permute({2, 0, 1, 3}).reshape({targets * batch, query.size(2)});
  const Tensor output = functional::linear(joined, options.out_proj_weight(), options.out_proj_bias())
                            .view({targets, batch, options.out_proj_weight().size(0)});
  if (!options.need_weights()) return {output, Tensor()};
  // A view, as in PyTorch.
  const Tensor seen = weights.view(weights.sizes());
  return {output, options.average_attn_weights() ? seen.mean(1) : seen};
}

}  // namespace functional

namespace {

// The output projection, with the class name that Python prints.
class NonDynamicallyQuantizableLinearImpl : public LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  std::string class_name() const override { return "NonDynamicallyQuantizableLinear"; }
};

}  // namespace

void MultiheadAttentionImpl::reset() {
  const int64_t width = options.embed_dim();
  ETUDE_CHECK(options.num_heads() > 0 && width % options.num_heads() == 0,
              "embed_dim must be divisible by num_heads\nreceived embed_dim ", width, " and ",
              options.num_heads(), " heads");
  head_dim = width / options.num_heads();
  _qkv_same_embed_dim = options.kdim() == width && options.vdim() == width;
  auto parameter = [this](const char* name, bool wanted, std::vector<int64_t> sizes) {
    return register_parameter(name, wanted ? etude::empty(sizes) : Tensor(), wanted);
  };
  const int64_t rows = etude::detail::stacked_rows(3, width);
  in_proj_weight = parameter("in_proj_weight", _qkv_same_embed_dim, {rows, width});
  q_proj_weight = parameter("q_proj_weight", !_qkv_same_embed_dim, {width, width});
  k_proj_weight = parameter("k_proj_weight", !_qkv_same_embed_dim, {width, options.kdim()});
  v_proj_weight = parameter("v_proj_weight", !_qkv_same_embed_dim, {width, options.vdim()});
  in_proj_bias = parameter("in_proj_bias", options.bias(), {rows});
  bias_k = parameter("bias_k", options.add_bias_kv(), {1, 1, width});
  bias_v = parameter("bias_v", options.add_bias_kv(), {1, 1, width});
  out_proj = register_module(
      "out_proj", Linear(std::shared_ptr<LinearImpl>(std::make_shared<NonDynamicallyQuantizableLinearImpl>(
                      LinearOptions(width, width).bias(options.bias())))));
  _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
  for (const Tensor& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
    if (weight.defined()) init::xavier_uniform_(weight);
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj->bias);
  }
  for (const Tensor& bias : {bias_k, bias_v})
    if (bias.defined()) init::xavier_normal_(bias);
}

functional::MultiheadAttentionForwardFuncOptions MultiheadAttentionImpl::functional_options(
    const Tensor& key_padding_mask, bool need_weights, const Tensor& attn_mask) const {
  return functional::MultiheadAttentionForwardFuncOptions(
             options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
             options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
      .training(is_training())
      .key_padding_mask(key_padding_mask)
      .need_weights(need_weights)
      .attn_mask(attn_mask)
      .use_separate_proj_weight(!_qkv_same_embed_dim)
      .q_proj_weight(q_proj_weight)
      .k_proj_weight(k_proj_weight)
      .v_proj_weight(v_proj_weight);
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(const Tensor& query, const Tensor& key,
                                                           const Tensor& value,
                                                           const Tensor& key_padding_mask, bool need_weights,
                                                           const Tensor& attn_mask,
                                                           bool average_attn_weights) {
  const auto [output, weights] =
      functional::multi_head_attention_forward(turned(query), turned(key), turned(value),
                                               functional_options(key_padding_mask, need_weights, attn_mask)
                                                   .average_attn_weights(average_attn_weights));
  return {turned(output), weights};
}

std::pair<Tensor, Tensor> MultiheadAttentionImpl::keys_and_values(const Tensor& key, const Tensor& value) {
  const functional::Projections project(functional_options());
  return {project.keys(turned(key)), project.values(turned(value))};
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::attend(const Tensor& query,
                                                          const std::pair<Tensor, Tensor>& keys_and_values,
                                                          const Tensor& key_padding_mask, bool need_weights,
                                                          const Tensor& attn_mask) {
  const Tensor x = turned(query);
  const auto [output, weights] =
      functional::multi_head_attention_forward(x, x, x,
                                               functional_options(key_padding_mask, need_weights, attn_mask)
                                                   .static_k(keys_and_values.first.flatten(0, 1))
                                                   .static_v(keys_and_values.second.flatten(0, 1))
                                                   .average_attn_weights(false));
  return {turned(output), weights};
}

}  // namespace etude::nn
