#include "etude/encoder_classifier.h"

namespace etude::nn {

void EncoderClassifierImpl::reset() {
  const auto& o = options;
  embedding = register_module("embedding", detail::make_embedding(o, o.vocab_size()));
  encoder = register_module("encoder", detail::make_stack<TransformerEncoder>(o, o.heads(), o.layers()));
  head = register_module("head", Linear(o.d_model(), o.classes()));
  reset_parameters();
}

void EncoderClassifierImpl::reset_parameters() {
  embedding->reset_parameters();
  encoder->reset_parameters();
  for (Tensor& parameter : encoder->parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
  head->reset_parameters();
}

Tensor EncoderClassifierImpl::forward(const Tensor& ids) {
  ETUDE_CHECK(ids.dim() == 2 && ids.size(1) > 0,
              "EncoderClassifier: expected ids of sizes [batch, sequence] with at least one token, but got ",
              ids.sizes());
  const optional<int64_t>& padding_idx = embedding->tokens->options.padding_idx();
  if (!padding_idx) {
    const Tensor x = encoder(embedding(ids));
    return head(options.pooling() == Pooling::First ? x.select(1, 0) : x.mean(1));
  }
  const Tensor padding = ids == *padding_idx;
  ETUDE_CHECK(!padding.all(1).any().item<bool>(), "EncoderClassifier: a sequence is nothing but padding\n",
              "received ids of sizes ", ids.sizes(), "\nhint: leave it out, or give it a first token");
  const Tensor x = encoder(embedding(ids), Tensor(), padding);
  if (options.pooling() == Pooling::First) return head(x.select(1, 0));
  const Tensor tokens = padding.logical_not().sum(1, /*keepdim=*/true).to(x.scalar_type());
  return head(x.masked_fill(padding.unsqueeze(-1), 0).sum(1) / tokens);
}

}  // namespace etude::nn
