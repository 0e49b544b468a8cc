#include "etude/encoder_decoder.h"

#include <cmath>
#include <limits>

#include "etude/eval_mode.h"

namespace etude {
namespace nn {
namespace {

template <typename LayerOptions>
LayerOptions layer_options(const EncoderDecoderOptions& o) {
  return LayerOptions(o.d_model(), o.heads())
      .dim_feedforward(o.dim_feedforward())
      .dropout(o.dropout())
      .activation(o.activation())
      .layer_norm_eps(o.layer_norm_eps())
      .batch_first(true)
      .norm_first(o.norm_first());
}

// Norms before the layers leave the last sum without one.
AnyModule norm_at_end(const EncoderDecoderOptions& o) {
  if (!o.norm_first()) return {};
  return AnyModule(LayerNorm(LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps())));
}

PositionedEmbedding make_embedding(const EncoderDecoderOptions& o, int64_t vocab_size) {
  return PositionedEmbedding(PositionedEmbeddingOptions(vocab_size, o.d_model())
                                 .dropout(o.dropout())
                                 .scale(o.scale())
                                 .padding_idx(o.padding_idx())
                                 .positions(o.positions()));
}

// One of the three projections of x [batch, tokens, width], split: [batch, heads, tokens, width / heads].
Tensor projected(MultiheadAttentionImpl& m, int64_t which, const Tensor& x) {
  const int64_t width = m.options.embed_dim();
  const Tensor y = functional::linear(x, m.in_proj_weight.narrow(0, which * width, width),
                                      m.in_proj_bias.narrow(0, which * width, width));
  return y.view({x.size(0), x.size(1), m.options.num_heads(), m.head_dim}).transpose(1, 2);
}

// Attention of x over given keys and values, with what the heads look at.
std::pair<Tensor, Tensor> attend(MultiheadAttentionImpl& m, const Tensor& x,
                                 const std::pair<Tensor, Tensor>& kv, const Tensor& hidden) {
  const Tensor q = projected(m, 0, x) / std::sqrt(static_cast<double>(m.head_dim));
  Tensor scores = matmul(q, kv.first.transpose(-2, -1));
  if (hidden.defined()) scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  const Tensor weights = etude::softmax(scores, -1);
  const Tensor joined = matmul(weights, kv.second).transpose(1, 2).reshape(x.sizes());
  return {m.out_proj(joined), weights};
}

Tensor hidden_future(int64_t tokens, int64_t before) {
  return tokens == 1 ? Tensor() : etude::ones({tokens, before + tokens}, kBool).triu(before + 1);
}

// The forward of a layer in eval mode with attention of another kind: to the target, then to the source.
template <typename ToTarget, typename ToSource>
Tensor through(TransformerDecoderLayerImpl& layer, Tensor x, const ToTarget& to_target,
               const ToSource& to_source) {
  const auto feed_forward = [&](const Tensor& t) {
    return layer.linear2(functional::activate(layer.linear1(t), layer.options.activation()));
  };
  if (layer.options.norm_first()) {
    x = x + to_target(layer.norm1(x));
    x = x + to_source(layer.norm2(x));
    return x + feed_forward(layer.norm3(x));
  }
  x = layer.norm1(x + to_target(x));
  x = layer.norm2(x + to_source(x));
  return layer.norm3(x + feed_forward(x));
}

}  // namespace

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderOptions& options_) : options(options_) {
  EncoderDecoderImpl::reset();
}

void EncoderDecoderImpl::reset() {
  ETUDE_CHECK(!options.shared_embedding() || options.src_vocab_size() == options.tgt_vocab_size(),
              "EncoderDecoder: a shared embedding needs one vocabulary, but the source has ",
              options.src_vocab_size(), " tokens and the target ", options.tgt_vocab_size());
  if (options.shared_embedding()) {
    src_embedding = tgt_embedding =
        register_module("embedding", make_embedding(options, options.src_vocab_size()));
  } else {
    src_embedding = register_module("src_embedding", make_embedding(options, options.src_vocab_size()));
    tgt_embedding = register_module("tgt_embedding", make_embedding(options, options.tgt_vocab_size()));
  }
  const TransformerEncoderLayer encoder_layer(layer_options<TransformerEncoderLayerOptions>(options));
  encoder = register_module(
      "encoder",
      TransformerEncoder(
          TransformerEncoderOptions(encoder_layer, options.encoder_layers()).norm(norm_at_end(options))));
  const TransformerDecoderLayer decoder_layer(layer_options<TransformerDecoderLayerOptions>(options));
  decoder = register_module(
      "decoder",
      TransformerDecoder(
          TransformerDecoderOptions(decoder_layer, options.decoder_layers()).norm(norm_at_end(options))));
  if (!options.tied_head())
    head = register_module("head", Linear(options.d_model(), options.tgt_vocab_size()));
  reset_parameters();
}

void EncoderDecoderImpl::reset_parameters() {
  src_embedding->reset_parameters();
  if (!options.shared_embedding()) tgt_embedding->reset_parameters();
  encoder->reset_parameters();
  decoder->reset_parameters();
  if (head) head->reset_parameters();
  for (Module* part : std::initializer_list<Module*>{encoder.get(), decoder.get()})
    for (Tensor& parameter : part->parameters())
      if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

Tensor EncoderDecoderImpl::padding_of(const Tensor& src) const {
  if (!options.padding_idx()) return {};
  Tensor padding = src == *options.padding_idx();
  ETUDE_CHECK(src.size(1) == 0 || !padding.all(1).any().item<bool>(),
              "EncoderDecoder: a source is nothing but padding\nreceived sources of sizes ", src.sizes(),
              "\nhint: leave it out, or give it an end token");
  return padding;
}

Tensor EncoderDecoderImpl::logits(const Tensor& x) {
  return head ? head(x) : functional::linear(x, tgt_embedding->tokens->weight);
}

Tensor EncoderDecoderImpl::encode(const Tensor& src) {
  return encoder(src_embedding(src), Tensor(), padding_of(src));
}

Tensor EncoderDecoderImpl::decode(const Tensor& tgt, const Tensor& memory, const Tensor& src) {
  const Tensor x = tgt_embedding(tgt);
  return logits(decoder(x, memory, hidden_future(tgt.size(1), 0), Tensor(), Tensor(), padding_of(src)));
}

Tensor EncoderDecoderImpl::forward(const Tensor& src, const Tensor& tgt) {
  return decode(tgt, encode(src), src);
}

Tensor EncoderDecoderImpl::loss(const Tensor& src, const Tensor& tgt) {
  ETUDE_CHECK(tgt.dim() == 2 && tgt.size(1) >= 2,
              "EncoderDecoder: expected targets of sizes [batch, target] with at least two tokens, but got ",
              tgt.sizes());
  auto o =
      functional::CrossEntropyFuncOptions().label_smoothing(is_training() ? options.label_smoothing() : 0);
  if (options.padding_idx()) o.ignore_index(*options.padding_idx());
  const int64_t tokens = tgt.size(1) - 1;
  const Tensor y = forward(src, tgt.narrow(1, 0, tokens));
  return functional::cross_entropy(y.flatten(0, 1), tgt.narrow(1, 1, tokens).reshape({-1}), o);
}

DecoderState EncoderDecoderImpl::start(const Tensor& memory, const Tensor& src, int64_t capacity) {
  const int64_t batch = memory.size(0), heads = options.heads(), head_width = options.d_model() / heads;
  const auto make = [&](int64_t length) {
    return KeyValueCache(options.decoder_layers(), batch, heads, length, head_width, memory.scalar_type());
  };
  DecoderState state{make(capacity), make(memory.size(1)), padding_of(src)};
  if (state.hidden.defined()) state.hidden = state.hidden.view({batch, 1, 1, memory.size(1)});
  for (size_t i = 0; i < decoder->layers->size(); ++i) {
    auto& attention = *decoder->layers->at<TransformerDecoderLayerImpl>(i).multihead_attn;
    state.source.layer(i).append(projected(attention, 1, memory), projected(attention, 2, memory));
  }
  return state;
}

Tensor EncoderDecoderImpl::decode(const Tensor& tokens, DecoderState& state) {
  return decode(tokens, state, nullptr);
}

Tensor EncoderDecoderImpl::decode(const Tensor& tokens, DecoderState& state, std::vector<Tensor>* weights) {
  ETUDE_CHECK(!is_training(),
              "EncoderDecoder: a target is continued without dropout\nhint: call eval() first");
  const int64_t before = state.target.length();
  Tensor x = tgt_embedding(tokens, before);
  const Tensor future = hidden_future(tokens.size(1), before);
  for (size_t i = 0; i < decoder->layers->size(); ++i) {
    auto& layer = decoder->layers->at<TransformerDecoderLayerImpl>(i);
    const auto to_target = [&](const Tensor& t) {
      const Tensor k = projected(*layer.self_attn, 1, t), v = projected(*layer.self_attn, 2, t);
      return attend(*layer.self_attn, t, state.target.layer(i).append(k, v), future).first;
    };
    const auto to_source = [&](const Tensor& t) {
      const auto [y, w] = attend(*layer.multihead_attn, t, state.source.layer(i).all(), state.hidden);
      if (weights) weights->push_back(w);
      return y;
    };
    x = through(layer, x, to_target, to_source);
  }
  return logits(decoder->norm.is_empty() ? x : decoder->norm.forward(x));
}

std::vector<Tensor> EncoderDecoderImpl::cross_attention(const Tensor& src, const Tensor& tgt) {
  const NoGradGuard no_grad;
  const EvalMode eval_mode(*this);
  DecoderState state = start(encode(src), src, tgt.size(1));
  std::vector<Tensor> weights;
  decode(tgt, state, &weights);
  return weights;
}

}  // namespace nn
}  // namespace etude
