#pragma once

#include "etude/key_value_cache.h"
#include "etude/transformer_encoder.h"

namespace etude::nn {

using TransformerDecoderLayerOptions = detail::TransformerLayerOptions<class TransformerDecoderLayerImpl>;

/// Self-attention, attention over the output of an encoder, then two linear layers, each with dropout, a sum
/// with its input and a layer norm (Vaswani et al. 2017, section 3.1; torch::nn::TransformerDecoderLayer):
/// tgt [T, N, d_model], memory [S, N, d_model] -> the sizes of tgt.
class ETUDE_API TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
 public:
  TransformerDecoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
  explicit TransformerDecoderLayerImpl(const TransformerDecoderLayerOptions& options_) : options(options_) {
    TransformerDecoderLayerImpl::reset();
  }

  void reset() override;
  void reset_parameters();
  /// Masks as in MultiheadAttention.
  Tensor forward(Tensor tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {});
  /// forward() of tokens that continue a target. `past` holds the keys and values of earlier tokens; those of
  /// the new tokens are appended. `memory` holds those of the encoder's output. `weights` receives the weights of
  /// the attention over it, [N, nhead, tokens, S]. Throws if gradients are recorded.
  Tensor continue_target(const Tensor& tgt, KeyValueCache::Layer& past, const KeyValueCache::Layer& memory,
                         const Tensor& tgt_mask, const Tensor& memory_key_padding_mask = {},
                         Tensor* weights = nullptr);

  TransformerDecoderLayerOptions options;
  MultiheadAttention self_attn = nullptr;
  Dropout dropout1 = nullptr;
  LayerNorm norm1 = nullptr;
  MultiheadAttention multihead_attn = nullptr;
  Dropout dropout2 = nullptr;
  LayerNorm norm2 = nullptr;
  Linear linear1 = nullptr;
  Dropout dropout = nullptr;
  Linear linear2 = nullptr;
  Dropout dropout3 = nullptr;
  LayerNorm norm3 = nullptr;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())}, {4, AnyValue(Tensor())},
                           {5, AnyValue(Tensor())})

 private:
  using Attention = std::function<Tensor(const Tensor&)>;
  Tensor through(Tensor x, const Attention& to_target, const Attention& to_memory);
  Tensor feed_forward(const Tensor& x);
};
ETUDE_MODULE(TransformerDecoderLayer);

struct TransformerDecoderOptions {
  TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
  TransformerDecoderOptions(const TransformerDecoderLayerOptions& decoder_layer_options, int64_t num_layers)
      : decoder_layer_(decoder_layer_options), num_layers_(num_layers) {}
  /// The layer to copy.
  ETUDE_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
  /// The number of copies.
  ETUDE_ARG(int64_t, num_layers);
  /// An optional module applied to the output.
  ETUDE_ARG(AnyModule, norm);
};

/// A stack of copies of a decoder layer (torch::nn::TransformerDecoder): tgt [T, N, d_model], memory
/// [S, N, d_model] -> the sizes of tgt.
class ETUDE_API TransformerDecoderImpl
    : public detail::TransformerStack<TransformerDecoderImpl, TransformerDecoderLayerImpl> {
 public:
  TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, int64_t num_layers)
      : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
  explicit TransformerDecoderImpl(TransformerDecoderOptions options_) : options(std::move(options_)) {
    TransformerDecoderImpl::reset();
  }

  void reset() override { stack(*options.decoder_layer(), options.num_layers(), options.norm()); }
  Tensor forward(const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask = {},
                 const Tensor& memory_mask = {}, const Tensor& tgt_key_padding_mask = {},
                 const Tensor& memory_key_padding_mask = {}) {
    return through(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
  }

  TransformerDecoderOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(Tensor())}, {3, AnyValue(Tensor())}, {4, AnyValue(Tensor())},
                           {5, AnyValue(Tensor())})
};
ETUDE_MODULE(TransformerDecoder);

}  // namespace etude::nn
