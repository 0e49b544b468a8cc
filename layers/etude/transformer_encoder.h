#pragma once

#include "etude/activation.h"
#include "etude/dropout.h"
#include "etude/layer_norm.h"
#include "etude/linear.h"
#include "etude/module_list.h"
#include "etude/multihead_attention.h"

namespace etude::nn {

namespace detail {
/// Options of an encoder layer or a decoder layer.
template <typename OfModule>
struct TransformerLayerOptions {
  TransformerLayerOptions(int64_t d_model, int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
  /// The width of input and output.
  ETUDE_ARG(int64_t, d_model);
  /// The number of heads of each attention.
  ETUDE_ARG(int64_t, nhead);
  /// The width between the two linear layers.
  ETUDE_ARG(int64_t, dim_feedforward) = 2048;
  /// The probability of dropout: in attention, between the linear layers, and before each sum.
  ETUDE_ARG(double, dropout) = 0.1;
  /// The function between the two linear layers.
  ETUDE_ARG(activation_t, activation) = kReLU;
  /// Added to the variance in the layer norms.
  ETUDE_ARG(double, layer_norm_eps) = 1e-5;
  /// Whether inputs are [batch, sequence, d_model] (Python's argument).
  ETUDE_ARG(bool, batch_first) = false;
  /// Whether the layer norms come before attention and feed-forward, as in GPT-2, instead of after the sums,
  /// as in the paper (Python's argument).
  ETUDE_ARG(bool, norm_first) = false;
};

/// A stack of copies of a layer, then an optional norm. All copies start with equal weights, as in PyTorch.
template <typename Derived, typename Layer>
class TransformerStack : public Cloneable<Derived> {
 public:
  /// Redraws the parameters of every layer.
  void reset_parameters() {
    for (size_t i = 0; i < layers->size(); ++i) layers->template at<Layer>(i).reset_parameters();
  }

  ModuleList layers = nullptr;
  AnyModule norm;
  using LayerOptions = decltype(Layer::options);

 protected:
  void stack(const Layer& layer, int64_t count, const AnyModule& last) {
    ETUDE_CHECK_VALUE(count >= 0, "num_layers must not be negative, but got ", count);
    layers = this->register_module("layers", ModuleList());
    for (int64_t i = 0; i < count; ++i) layers->push_back(layer.clone());
    if (last.is_empty()) return;
    norm = last.clone();
    this->register_module("norm", norm.ptr());
  }
  template <typename... Others>
  Tensor through(Tensor x, const Others&... others) {
    for (size_t i = 0; i < layers->size(); ++i) x = call(layers->template at<Layer>(i), x, others...);
    return norm.is_empty() ? x : norm.forward(x);
  }
};

/// The encoder or decoder stack of a model whose options have the same names as a layer's. With norm_first it ends with a norm,
/// since otherwise nothing would normalize its last sum.
template <typename Stack, typename ModelOptions>
Stack make_stack(const ModelOptions& o, int64_t heads, int64_t layers, bool batch_first = true,
                 bool always_ends_with_norm = false) {
  using Impl = typename Stack::Impl;
  auto layer = typename Impl::LayerOptions(o.d_model(), heads)
                   .dim_feedforward(o.dim_feedforward())
                   .dropout(o.dropout())
                   .activation(o.activation())
                   .layer_norm_eps(o.layer_norm_eps())
                   .batch_first(batch_first)
                   .norm_first(o.norm_first());
  decltype(Impl::options) options(layer, layers);
  if (o.norm_first() || always_ends_with_norm)
    options.norm(AnyModule(LayerNorm(LayerNormOptions({o.d_model()}).eps(o.layer_norm_eps()))));
  return Stack(options);
}
}  // namespace detail
using TransformerEncoderLayerOptions = detail::TransformerLayerOptions<class TransformerEncoderLayerImpl>;

/// Self-attention, then two linear layers, each with dropout, a sum with its input and a layer norm (Vaswani
/// et al. 2017, section 3.1; torch::nn::TransformerEncoderLayer): [S, N, d_model] -> the same.
class ETUDE_API TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
 public:
  TransformerEncoderLayerImpl(int64_t d_model, int64_t nhead)
      : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
  explicit TransformerEncoderLayerImpl(const TransformerEncoderLayerOptions& options_) : options(options_) {
    TransformerEncoderLayerImpl::reset();
  }

  void reset() override;
  void reset_parameters();
  /// Masks as in MultiheadAttention.
  Tensor forward(const Tensor& src, const Tensor& src_mask = {}, const Tensor& src_key_padding_mask = {});

  TransformerEncoderLayerOptions options;
  MultiheadAttention self_attn = nullptr;
  Linear linear1 = nullptr;
  Dropout dropout = nullptr;
  Linear linear2 = nullptr;
  LayerNorm norm1 = nullptr;
  LayerNorm norm2 = nullptr;
  Dropout dropout1 = nullptr;
  Dropout dropout2 = nullptr;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})

 private:
  Tensor attend(const Tensor& x, const Tensor& mask, const Tensor& key_padding_mask);
  Tensor feed_forward(const Tensor& x);
};
ETUDE_MODULE(TransformerEncoderLayer);

struct TransformerEncoderOptions {
  TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
  TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer_options, int64_t num_layers)
      : encoder_layer_(encoder_layer_options), num_layers_(num_layers) {}
  /// The layer to copy.
  ETUDE_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
  /// The number of copies.
  ETUDE_ARG(int64_t, num_layers);
  /// An optional module applied to the output.
  ETUDE_ARG(AnyModule, norm);
};

/// A stack of copies of an encoder layer (torch::nn::TransformerEncoder): [S, N, d_model] -> the same.
class ETUDE_API TransformerEncoderImpl
    : public detail::TransformerStack<TransformerEncoderImpl, TransformerEncoderLayerImpl> {
 public:
  TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, int64_t num_layers)
      : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
  explicit TransformerEncoderImpl(TransformerEncoderOptions options_) : options(std::move(options_)) {
    TransformerEncoderImpl::reset();
  }

  void reset() override { stack(*options.encoder_layer(), options.num_layers(), options.norm()); }
  Tensor forward(const Tensor& src, const Tensor& src_mask = {}, const Tensor& src_key_padding_mask = {}) {
    return through(src, src_mask, src_key_padding_mask);
  }

  TransformerEncoderOptions options;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())}, {2, AnyValue(Tensor())})
};
ETUDE_MODULE(TransformerEncoder);

}  // namespace etude::nn
