#pragma once

#include "etude/function_module.h"

namespace etude::nn {

using ThresholdOptions = functional::ThresholdFuncOptions;
/// x where x > threshold, else value (torch::nn::Threshold).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Threshold, ThresholdOptions, (Tensor input),
                                 functional::threshold(input, options));

using HardtanhOptions = functional::HardtanhFuncOptions;

/// min(max(x, min_val), max_val) (torch::nn::Hardtanh).
class ETUDE_API HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  explicit HardtanhImpl(const HardtanhOptions& options_ = {}) : options(options_) { HardtanhImpl::reset(); }
  void reset() override;
  Tensor forward(Tensor input);
  std::string extra_repr() const override;

  HardtanhOptions options;
};
ETUDE_MODULE(Hardtanh);

using HardshrinkOptions = functional::HardshrinkFuncOptions;
/// 0 where |x| <= lambda, else x (torch::nn::Hardshrink).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Hardshrink, HardshrinkOptions, (const Tensor& input),
                                 functional::hardshrink(input, options));

using SoftshrinkOptions = functional::SoftshrinkFuncOptions;
/// 0 where |x| <= lambda, else x moved towards 0 by lambda (torch::nn::Softshrink).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Softshrink, SoftshrinkOptions, (const Tensor& input),
                                 functional::softshrink(input, options));

/// x - tanh(x) (torch::nn::Tanhshrink).
ETUDE_MODULE_OF_FUNCTION(Tanhshrink, void, (const Tensor& input), functional::tanhshrink(input));

}  // namespace etude::nn
