#include "etude/transformer.h"

#include <limits>

namespace etude::nn {
namespace {

// Options of an encoder's or a decoder's layers.
TransformerEncoderLayerOptions layer_options(const TransformerOptions& o) {
  return TransformerEncoderLayerOptions(o.d_model(), o.nhead())
      .dim_feedforward(o.dim_feedforward())
      .dropout(o.dropout())
      .activation(o.activation())
      .layer_norm_eps(o.layer_norm_eps())
      .batch_first(o.batch_first())
      .norm_first(o.norm_first());
}

AnyModule final_norm(const TransformerOptions& o) {
  return AnyModule(LayerNorm(LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps())));
}

}  // namespace

TransformerImpl::TransformerImpl(TransformerOptions options_) : options(std::move(options_)) {
  TransformerImpl::reset();
}

void TransformerImpl::reset() {
  if (options.custom_encoder().is_empty())
    encoder = AnyModule(
        TransformerEncoder(TransformerEncoderOptions(layer_options(options), options.num_encoder_layers())
                               .norm(final_norm(options))));
  else encoder = options.custom_encoder().clone();
  register_module("encoder", encoder.ptr());

  if (options.custom_decoder().is_empty())
    decoder = AnyModule(
        TransformerDecoder(TransformerDecoderOptions(layer_options(options), options.num_decoder_layers())
                               .norm(final_norm(options))));
  else decoder = options.custom_decoder().clone();
  register_module("decoder", decoder.ptr());
  reset_parameters();
}

void TransformerImpl::reset_parameters() {
  for (Tensor& parameter : parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask,
                                const Tensor& tgt_mask, const Tensor& memory_mask,
                                const Tensor& src_key_padding_mask, const Tensor& tgt_key_padding_mask,
                                const Tensor& memory_key_padding_mask) {
  ETUDE_CHECK(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ", src.dim(),
              " and ", tgt.dim());
  const int64_t batch_dim = options.batch_first() ? 0 : 1;
  ETUDE_CHECK(src.size(batch_dim) == tgt.size(batch_dim), "src and tgt should have equal batch size (at dim ",
              batch_dim, "), but got ", src.size(batch_dim), " and ", tgt.size(batch_dim));
  ETUDE_CHECK(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
              "src and tgt should have same feature size as d_model (at dim 2), but got ", src.size(2),
              " and ", tgt.size(2), " while d_model is ", options.d_model());
  const Tensor memory = encoder.forward(src, src_mask, src_key_padding_mask);
  return decoder.forward(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
}

Tensor TransformerImpl::generate_square_subsequent_mask(int64_t size) {
  return full({size, size}, -std::numeric_limits<double>::infinity()).triu(1);
}

}  // namespace etude::nn
