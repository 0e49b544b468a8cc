#include "etude/multihead_attention.h"

#include <cmath>
#include <limits>

namespace etude {
namespace nn {

namespace functional {
namespace {

using Options = MultiheadAttentionForwardFuncOptions;

Tensor minus_infinity_where(const Tensor& forbidden, ScalarType dtype) {
  return zeros(forbidden.sizes(), dtype).masked_fill(forbidden, -std::numeric_limits<double>::infinity());
}

Tensor added_to_scores(const Tensor& mask, ScalarType dtype) {
  return mask.scalar_type() == kBool ? minus_infinity_where(mask, dtype) : mask.to(dtype);
}

// The mask of one more key, at which everybody may look.
Tensor with_one_more(const Tensor& mask) {
  if (!mask.defined()) return mask;
  std::vector<int64_t> column = mask.sizes().vec();
  column.back() = 1;
  return cat({mask, zeros(column, mask.options())}, -1);
}

// uint8 counts as bool, which Python still takes.
Tensor checked_type(const Tensor& mask, const char* name) {
  if (!mask.defined()) return mask;
  if (mask.scalar_type() == kByte) return mask.to(kBool);
  ETUDE_CHECK(mask.is_floating_point() || mask.scalar_type() == kBool,
              "Only float, byte, and bool types are supported for ", name, ", not ",
              dtype_name(mask.scalar_type()),
              "\nhint: true where a query may not look, or numbers that are added to the scores");
  return mask;
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

// All of [sequence, batch, width].
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
  if (mask.dim() == 2)
    ETUDE_CHECK(mask.size(0) == targets && mask.size(1) == sources,
                "The shape of the 2D attn_mask is torch.Size(", mask.sizes(), "), but should be (", targets,
                ", ", sources, ").");
  else
    ETUDE_CHECK(mask.size(0) == batches && mask.size(1) == targets && mask.size(2) == sources,
                "The shape of the 3D attn_mask is torch.Size(", mask.sizes(), "), but should be (", batches,
                ", ", targets, ", ", sources, ").");
}

struct Projections {
  Tensor q, k, v;  // [sequence, batch, embed_dim]
};

Projections project(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options) {
  const bool separate = options.use_separate_proj_weight();
  const std::vector<Tensor> weights =
      separate
          ? std::vector<Tensor>{options.q_proj_weight(), options.k_proj_weight(), options.v_proj_weight()}
          : options.in_proj_weight().chunk(3);
  const std::vector<Tensor> biases =
      options.in_proj_bias().defined() ? options.in_proj_bias().chunk(3) : std::vector<Tensor>(3);
  return {functional::linear(query, weights[0], biases[0]), functional::linear(key, weights[1], biases[1]),
          functional::linear(value, weights[2], biases[2])};
}

// [sequence, batch, heads * d] -> [batch * heads, sequence, d]
Tensor split_heads(const Tensor& x, int64_t heads) {
  return x.contiguous().view({x.size(0), x.size(1) * heads, x.size(2) / heads}).transpose(0, 1);
}

Tensor given_heads(const Tensor& given, const char* name, int64_t batches, int64_t width) {
  ETUDE_CHECK(given.dim() == 3 && given.size(0) == batches, "expecting ", name, ".size(0) of ", batches,
              ", but got ", given.dim() > 0 ? given.size(0) : 0);
  ETUDE_CHECK(given.size(2) == width, "expecting ", name, ".size(2) of ", width, ", but got ", given.size(2));
  return given;
}

// One batch entry and head per matrix.
struct Heads {
  Tensor q, k, v;                      // [batch * heads, sequence, d]
  Tensor attn_mask, key_padding_mask;  // with as many keys as k
};

void add_learned_key(Projections& p, Heads& to, const Options& options) {
  const Tensor &k = options.bias_k(), &v = options.bias_v();
  ETUDE_CHECK(k.defined() == v.defined(), "bias_k and bias_v are given together or not at all");
  if (!k.defined()) return;
  ETUDE_CHECK(!options.static_k().defined(), "bias cannot be added to static key.");
  ETUDE_CHECK(!options.static_v().defined(), "bias cannot be added to static value.");
  p.k = cat({p.k, k.repeat({1, p.k.size(1), 1})});
  p.v = cat({p.v, v.repeat({1, p.v.size(1), 1})});
  to.attn_mask = with_one_more(to.attn_mask);
  to.key_padding_mask = with_one_more(to.key_padding_mask);
}

void add_zero_key(Heads& to) {
  const Tensor zero = zeros({to.k.size(0), 1, to.k.size(2)}, to.k.options());
  to.k = cat({to.k, zero}, 1);
  to.v = cat({to.v, zero}, 1);
  to.attn_mask = with_one_more(to.attn_mask);
  to.key_padding_mask = with_one_more(to.key_padding_mask);
}

Heads make_heads(Projections p, const Tensor& key_padding_mask, const Options& options) {
  const int64_t heads = options.num_heads(), batches = p.q.size(1) * heads, d = p.q.size(2) / heads;
  Heads to;
  to.attn_mask = checked_type(options.attn_mask(), "attn_mask");
  to.key_padding_mask = checked_type(key_padding_mask, "key_padding_mask");
  check_mask(to.attn_mask, batches, p.q.size(0),
             options.static_k().defined() ? options.static_k().size(1) : p.k.size(0));
  add_learned_key(p, to, options);
  to.q = split_heads(p.q, heads);
  to.k = options.static_k().defined() ? given_heads(options.static_k(), "static_k", batches, d)
                                      : split_heads(p.k, heads);
  to.v = options.static_v().defined() ? given_heads(options.static_v(), "static_v", batches, d)
                                      : split_heads(p.v, heads);
  if (options.add_zero_attn()) add_zero_key(to);
  return to;
}

// The attention weights [batch * heads, L, S].
Tensor weights_of(const Heads& h, int64_t heads) {
  const int64_t batch = h.q.size(0) / heads, targets = h.q.size(1), sources = h.k.size(1);
  Tensor scores = bmm(h.q * (1 / std::sqrt(static_cast<double>(h.q.size(2)))), h.k.transpose(1, 2));
  if (h.attn_mask.defined()) scores = scores + added_to_scores(h.attn_mask, scores.scalar_type());
  if (h.key_padding_mask.defined()) {
    const Tensor& padding = h.key_padding_mask;
    ETUDE_CHECK(padding.size(0) == batch && padding.size(1) == sources,
                "expecting key_padding_mask shape of (", batch, ", ", sources, "), but got torch.Size(",
                padding.sizes(), ")");
    const Tensor added = added_to_scores(padding, scores.scalar_type()).view({batch, 1, 1, sources});
    scores = (scores.view({batch, heads, targets, sources}) + added).view({batch * heads, targets, sources});
  }
  return etude::softmax(scores, -1);
}

}  // namespace

MultiheadAttentionForwardFuncOptions::MultiheadAttentionForwardFuncOptions(
    int64_t embed_dim_to_check, int64_t num_heads, Tensor in_proj_weight, Tensor in_proj_bias, Tensor bias_k,
    Tensor bias_v, bool add_zero_attn, double dropout_p, Tensor out_proj_weight, Tensor out_proj_bias)
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

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask, double dropout_p, bool is_causal,
                                    optional<double> scale) {
  ETUDE_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2,
              "scaled_dot_product_attention: expected query, key and value of at least 2 dims, but got ",
              query.dim(), ", ", key.dim(), " and ", value.dim());
  ETUDE_CHECK(!is_causal || !attn_mask.defined(),
              "scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
  const Tensor mask =
      is_causal ? ones({query.size(-2), key.size(-2)}, kBool).tril() : checked_type(attn_mask, "attn_mask");
  const double factor = scale ? *scale : 1 / std::sqrt(static_cast<double>(query.size(-1)));
  Tensor scores = matmul(query * factor, key.transpose(-2, -1));
  if (mask.defined())
    scores = scores +
             added_to_scores(mask.scalar_type() == kBool ? mask.logical_not() : mask, scores.scalar_type());
  const Tensor weights = dropout(etude::softmax(scores, -1), DropoutFuncOptions().p(dropout_p));
  return matmul(weights, value);
}

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
  const int64_t heads = options.num_heads(), targets = query.size(0), batch = query.size(1);
  const Heads h = make_heads(project(query, key, value, options), options.key_padding_mask(), options);
  const Tensor weights =
      dropout(weights_of(h, heads), DropoutFuncOptions().p(options.dropout_p()).training(options.training()));
  const Tensor joined = bmm(weights, h.v).transpose(0, 1).reshape({targets * batch, query.size(2)});
  const Tensor output = functional::linear(joined, options.out_proj_weight(), options.out_proj_bias())
                            .view({targets, batch, options.out_proj_weight().size(0)});
  if (!options.need_weights()) return {output, Tensor()};
  const Tensor by_head = weights.view({batch, heads, targets, weights.size(2)});
  return {output, options.average_attn_weights() ? by_head.sum(1) / heads : by_head};
}

}  // namespace functional

namespace {

// The output projection under the name that Python prints.
class NonDynamicallyQuantizableLinearImpl : public LinearImpl {
 public:
  using LinearImpl::LinearImpl;
  std::string class_name() const override { return "NonDynamicallyQuantizableLinear"; }
};

}  // namespace

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& options_)
    : options(options_) {
  MultiheadAttentionImpl::reset();
}

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
  in_proj_weight = parameter("in_proj_weight", _qkv_same_embed_dim, {3 * width, width});
  q_proj_weight = parameter("q_proj_weight", !_qkv_same_embed_dim, {width, width});
  k_proj_weight = parameter("k_proj_weight", !_qkv_same_embed_dim, {width, options.kdim()});
  v_proj_weight = parameter("v_proj_weight", !_qkv_same_embed_dim, {width, options.vdim()});
  in_proj_bias = parameter("in_proj_bias", options.bias(), {3 * width});
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

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(const Tensor& query, const Tensor& key,
                                                           const Tensor& value,
                                                           const Tensor& key_padding_mask, bool need_weights,
                                                           const Tensor& attn_mask,
                                                           bool average_attn_weights) {
  const bool turned = options.batch_first() && query.dim() == 3;
  auto sequence_first = [turned](const Tensor& x) { return turned && x.dim() == 3 ? x.transpose(0, 1) : x; };
  const auto [output, weights] = functional::multi_head_attention_forward(
      sequence_first(query), sequence_first(key), sequence_first(value),
      functional::MultiheadAttentionForwardFuncOptions(
          options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
          options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
          .training(is_training())
          .key_padding_mask(key_padding_mask)
          .need_weights(need_weights)
          .attn_mask(attn_mask)
          .use_separate_proj_weight(!_qkv_same_embed_dim)
          .q_proj_weight(q_proj_weight)
          .k_proj_weight(k_proj_weight)
          .v_proj_weight(v_proj_weight)
          .average_attn_weights(average_attn_weights));
  return {turned ? output.transpose(0, 1) : output, weights};
}

}  // namespace nn
}  // namespace etude
