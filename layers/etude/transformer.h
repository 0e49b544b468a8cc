#pragma once

#include "etude/transformer_decoder.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

struct TransformerOptions {
  TransformerOptions() = default;
  TransformerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
  TransformerOptions(int64_t d_model, int64_t nhead, int64_t num_encoder_layers, int64_t num_decoder_layers)
      : d_model_(d_model),
        nhead_(nhead),
        num_encoder_layers_(num_encoder_layers),
        num_decoder_layers_(num_decoder_layers) {}
  /// The width of the vectors between layers.
  ETUDE_ARG(int64_t, d_model) = 512;
  /// The number of heads of each attention.
  ETUDE_ARG(int64_t, nhead) = 8;
  /// The number of layers of the encoder.
  ETUDE_ARG(int64_t, num_encoder_layers) = 6;
  /// The number of layers of the decoder.
  ETUDE_ARG(int64_t, num_decoder_layers) = 6;
  /// The width between the two linear layers of a block.
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// The probability of dropout: in attention, between the linear layers, and before each sum.
  ETUDE_ARG(double, dropout) = 0.1;
  /// The function between the two linear layers.
  ETUDE_ARG(activation_t, activation) = kReLU;
  /// Replaces the encoder.
  ETUDE_ARG(AnyModule, custom_encoder);
  /// Replaces the decoder.
  ETUDE_ARG(AnyModule, custom_decoder);
  /// Added to the variance in the layer norms.
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// As in TransformerEncoderLayerOptions.
  ETUDE_ARG(bool, batch_first) = false;
  /// As in TransformerEncoderLayerOptions.
  ETUDE_ARG(bool, norm_first) = false;
};

/// An encoder and a decoder (Vaswani et al. 2017; torch::nn::Transformer): src [S, N, d_model], tgt [T, N, d_model]
/// -> the sizes of tgt. Unlike in the paper, each ends with a layer norm. There is no embedding.
class ETUDE_API TransformerImpl : public Cloneable<TransformerImpl> {
 public:
  explicit TransformerImpl(TransformerOptions options_) : options(std::move(options_)) {
    TransformerImpl::reset();
  }

  void reset() override;
  /// Draws every parameter with more than one dim by xavier_uniform.
  void reset_parameters() {
    for (Tensor& parameter : parameters())
      if (parameter.dim() > 1) init::xavier_uniform_(parameter);
  }
  /// Masks as in MultiheadAttention.
  Tensor forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask = {},
                 const Tensor& tgt_mask = {}, const Tensor& memory_mask = {},
                 const Tensor& src_key_padding_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});
  /// The causal mask [size, size]: zeros up to each position, minus infinity after it.
  static Tensor generate_square_subsequent_mask(int64_t size);

  TransformerOptions options;
  AnyModule encoder;
  AnyModule decoder;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())}, {4, AnyValue(Tensor())},
                           {5, AnyValue(Tensor())}, {6, AnyValue(Tensor())}, {7, AnyValue(Tensor())})
};
ETUDE_MODULE(Transformer);

}  // namespace etude::nn
