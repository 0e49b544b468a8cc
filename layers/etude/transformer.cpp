#include "etude/transformer.h"

#include <limits>

namespace etude::nn {
void TransformerImpl::reset() {
  const auto& o = options;
  encoder = o.custom_encoder().clone();
  if (encoder.is_empty())
    encoder = AnyModule(detail::make_stack<TransformerEncoder>(
        o, o.nhead(), o.num_encoder_layers(), o.batch_first(), /*always_ends_with_norm=*/true));
  register_module("encoder", encoder.ptr());
  decoder = o.custom_decoder().clone();
  if (decoder.is_empty())
    decoder = AnyModule(detail::make_stack<TransformerDecoder>(
        o, o.nhead(), o.num_decoder_layers(), o.batch_first(), /*always_ends_with_norm=*/true));
  register_module("decoder", decoder.ptr());
  reset_parameters();
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
