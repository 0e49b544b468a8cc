#pragma once

#include "etude/framework.h"

namespace etude::nn {

struct RMSNormOptions {
  RMSNormOptions(std::vector<int64_t> normalized_shape) : normalized_shape_(std::move(normalized_shape)) {}
  /// The sizes of the last dims, over which the mean is computed.
  ETUDE_ARG(std::vector<int64_t>, normalized_shape);
  /// Added to the mean of squares. The default is the machine epsilon of the input's dtype, but float32's for 16-bit inputs.
  ETUDE_ARG(optional<double>, eps) = nullopt;
  /// Whether there is a weight.
  ETUDE_ARG(bool, elementwise_affine) = true;
};

namespace functional {
/// x / sqrt(mean(x^2) + eps) * weight over the last dims, of x [..., normalized_shape]
/// (torch.nn.functional.rms_norm of PyTorch 2).
ETUDE_API Tensor rms_norm(const Tensor& input, IntArrayRef normalized_shape,
                          const optional<Tensor>& weight = {}, optional<double> eps = nullopt);
}  // namespace functional

/// A layer norm that does not subtract the mean (Zhang and Sennrich 2019; torch.nn.RMSNorm of PyTorch 2).
class ETUDE_API RMSNormImpl : public Cloneable<RMSNormImpl> {
 public:
  RMSNormImpl(std::vector<int64_t> normalized_shape)
      : RMSNormImpl(RMSNormOptions(std::move(normalized_shape))) {}
  explicit RMSNormImpl(RMSNormOptions options_) : options(std::move(options_)) { RMSNormImpl::reset(); }

  void reset() override;
  /// Sets the weight to ones.
  void reset_parameters() {
    if (weight.defined()) init::ones_(weight);
  }
  Tensor forward(const Tensor& input) {
    return functional::rms_norm(input, options.normalized_shape(), weight, options.eps());
  }
  std::string extra_repr() const override;

  RMSNormOptions options;
  Tensor weight;  ///< [normalized_shape], undefined without elementwise_affine
};
ETUDE_MODULE(RMSNorm);

}  // namespace etude::nn

namespace etude {
using nn::functional::rms_norm;
}
