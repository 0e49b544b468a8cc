#pragma once

#include "etude/framework.h"

namespace etude::nn {

struct LayerNormOptions {
  LayerNormOptions(std::vector<int64_t> normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
  /// The sizes of the last dims, over which mean and variance are computed.
  ETUDE_ARG(std::vector<int64_t>, normalized_shape);
  /// Added to the variance.
  ETUDE_ARG(double, eps) = 1e-5;
  /// Whether there are weight and bias.
  ETUDE_ARG(bool, elementwise_affine) = true;
};

/// y = (x - mean) / sqrt(variance + eps) * weight + bias over the last dims, of x [..., normalized_shape]
/// (torch::nn::LayerNorm; Ba, Kiros and Hinton 2016).
class ETUDE_API LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<int64_t> normalized_shape)
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(LayerNormOptions options_) : options(std::move(options_)) { LayerNormImpl::reset(); }

  void reset() override {
    const bool affine = options.elementwise_affine();
    weight =
        register_parameter("weight", affine ? etude::empty(options.normalized_shape()) : Tensor(), affine);
    bias = register_parameter("bias", affine ? etude::empty(options.normalized_shape()) : Tensor(), affine);
    reset_parameters();
  }
  /// Sets weight to ones and bias to zeros.
  void reset_parameters() {
    if (!options.elementwise_affine()) return;
    init::ones_(weight);
    init::zeros_(bias);
  }
  Tensor forward(const Tensor& input) {
    return etude::layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
  }
  std::string extra_repr() const override {
    return etude::detail::python_str(
        etude::detail::python_tuple(options.normalized_shape()), ", eps=", options.eps(),
        ", elementwise_affine=", options.elementwise_affine(), ", bias=", options.elementwise_affine());
  }

  LayerNormOptions options;
  Tensor weight;  ///< [normalized_shape], undefined without elementwise_affine
  Tensor bias;    ///< [normalized_shape], undefined without elementwise_affine
};
ETUDE_MODULE(LayerNorm);

}  // namespace etude::nn
