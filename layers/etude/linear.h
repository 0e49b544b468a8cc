#pragma once

#include "etude/quantized_weight.h"

namespace etude::nn {

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  /// The width of the input.
  ETUDE_ARG(int64_t, in_features);
  /// The width of the result.
  ETUDE_ARG(int64_t, out_features);
  /// Whether to add a bias.
  ETUDE_ARG(bool, bias) = true;
};

/// y = x W^T + b: [..., in_features] -> [..., out_features] (torch::nn::Linear).
class ETUDE_API LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(int64_t in_features, int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_) : options(options_) { LinearImpl::reset(); }

  void reset() override;
  /// Draws weight, then bias, from U(-1/sqrt(in_features), 1/sqrt(in_features)).
  void reset_parameters();
  Tensor forward(const Tensor& input) {
    return quantized.defined() ? quantized_linear(input, quantized, bias)
                               : functional::linear(input, weight, bias);
  }
  std::string extra_repr() const override {
    return etude::detail::python_str("in_features=", options.in_features(),
                                     ", out_features=", options.out_features(), ", bias=", options.bias()) +
           detail::quantized_repr(quantized);
  }

  LinearOptions options;
  Tensor weight;              ///< [out_features, in_features]
  Tensor bias;                ///< [out_features], undefined without options.bias()
  QuantizedWeight quantized;  ///< replaces `weight` after quantize()
};
ETUDE_MODULE(Linear);

}  // namespace etude::nn
