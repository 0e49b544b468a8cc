#include "etude/encoder_decoder.h"

#include <limits>

namespace etude::nn {
namespace {

// A mask for the last `tokens` of before + tokens positions that hides later positions; undefined for a single token.
Tensor hidden_future(int64_t tokens, int64_t before) {
  if (tokens == 1) return {};
  return etude::full({tokens, before + tokens}, -std::numeric_limits<double>::infinity()).triu(before + 1);
}

}  // namespace

void EncoderDecoderImpl::reset() {
  const auto& o = options;
  ETUDE_CHECK(!o.shared_embedding() || o.src_vocab_size() == o.tgt_vocab_size(),
              "EncoderDecoder: a shared embedding needs one vocabulary, but the source has ",
              o.src_vocab_size(), " tokens and the target ", o.tgt_vocab_size());
  const auto embed = [&](const char* name, int64_t vocab_size) {
    return register_module(name, detail::make_embedding(o, vocab_size));
  };
  src_embedding = embed(o.shared_embedding() ? "embedding" : "src_embedding", o.src_vocab_size());
  tgt_embedding = o.shared_embedding() ? src_embedding : embed("tgt_embedding", o.tgt_vocab_size());
  encoder =
      register_module("encoder", detail::make_stack<TransformerEncoder>(o, o.heads(), o.encoder_layers()));
  decoder =
      register_module("decoder", detail::make_stack<TransformerDecoder>(o, o.heads(), o.decoder_layers()));
  if (!o.tied_head()) head = register_module("head", Linear(o.d_model(), o.tgt_vocab_size()));
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
  const optional<int64_t>& padding_idx = src_embedding->tokens->options.padding_idx();
  if (!padding_idx) return {};
  Tensor padding = src == *padding_idx;
  ETUDE_CHECK(src.size(1) == 0 || !padding.all(1).any().item<bool>(),
              "EncoderDecoder: a source is nothing but padding\nreceived sources of sizes ", src.sizes(),
              "\nhint: leave it out, or give it an end token");
  return padding;
}

Tensor EncoderDecoderImpl::through_decoder(const Tensor& tgt, const Tensor& memory, const Tensor& src) {
  const Tensor x = tgt_embedding(tgt);
  return decoder(x, memory, hidden_future(tgt.size(1), 0), Tensor(), Tensor(), padding_of(src));
}

Tensor EncoderDecoderImpl::loss(const Tensor& src, const Tensor& tgt) {
  ETUDE_CHECK(tgt.dim() == 2 && tgt.size(1) >= 2,
              "EncoderDecoder: expected targets of sizes [batch, target] with at least two tokens, but got ",
              tgt.sizes());
  auto o =
      functional::CrossEntropyFuncOptions().label_smoothing(is_training() ? options.label_smoothing() : 0);
  if (const auto& padding_idx = tgt_embedding->tokens->options.padding_idx()) o.ignore_index(*padding_idx);
  const int64_t tokens = tgt.size(1) - 1;
  const Tensor x = through_decoder(tgt.narrow(1, 0, tokens), encode(src), src);
  return functional::linear_cross_entropy(x, head ? head->weight : tgt_embedding->tokens->weight,
                                          tgt.narrow(1, 1, tokens), head ? head->bias : Tensor(), o);
}

DecoderState EncoderDecoderImpl::start(const Tensor& memory, const Tensor& src, int64_t capacity) {
  const int64_t batch = memory.size(0), heads = options.heads(), head_width = options.d_model() / heads;
  const auto make = [&](int64_t length) {
    return KeyValueCache(options.decoder_layers(), batch, heads, length, head_width, memory.scalar_type());
  };
  DecoderState state{make(capacity), make(memory.size(1)), padding_of(src)};
  for (size_t i = 0; i < decoder->layers->size(); ++i) {
    auto& layer = decoder->layers->at<TransformerDecoderLayerImpl>(i);
    const auto [k, v] = layer.multihead_attn->keys_and_values(memory, memory);
    state.source.layer(i, decoder->layers->size()).append(k, v);
  }
  return state;
}

Tensor EncoderDecoderImpl::decode(const Tensor& tokens, DecoderState& state, std::vector<Tensor>* weights) {
  ETUDE_CHECK(!is_training(),
              "EncoderDecoder: a target is continued without dropout\nhint: call eval() first");
  const int64_t before = state.target.length();
  Tensor x = tgt_embedding(tokens, before);
  const Tensor future = hidden_future(tokens.size(1), before);
  if (weights) weights->resize(decoder->layers->size());
  const KeyValueCache::Attempt attempt(&state.target);
  for (size_t i = 0; i < decoder->layers->size(); ++i)
    x = decoder->layers->at<TransformerDecoderLayerImpl>(i).continue_target(
        x, state.target.layer(i, decoder->layers->size()), state.source.layer(i, decoder->layers->size()),
        future, state.padding, weights ? &weights->at(i) : nullptr);
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

}  // namespace etude::nn
