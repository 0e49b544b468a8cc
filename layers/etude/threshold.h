#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// x where x > threshold, else value (torch::nn::Threshold).
ETUDE_MODULE_OF_FUNCTIONAL(Threshold, (Tensor input), threshold(input, options),
                           str("threshold=", options.threshold(), ", value=", options.value(),
                               options.inplace() ? ", inplace=True" : ""));

using HardtanhOptions = functional::HardtanhFuncOptions;
/// min(max(x, min_val), max_val) (torch::nn::Hardtanh).
class ETUDE_API HardtanhImpl : public Cloneable<HardtanhImpl> {
 public:
  explicit HardtanhImpl(const HardtanhOptions& options_ = {}) : options(options_) { HardtanhImpl::reset(); }
  void reset() override {
    ETUDE_CHECK(options.max_val() > options.min_val(),
                "max_val must be greater than min_val\nreceived min_val ", options.min_val(), " and max_val ",
                options.max_val());
  }
  Tensor forward(Tensor input) { return functional::hardtanh(input, options); }
  std::string extra_repr() const override {
    return etude::detail::python_str("min_val=", options.min_val(), ", max_val=", options.max_val(),
                                     options.inplace() ? ", inplace=True" : "");
  }

  HardtanhOptions options;
};
ETUDE_MODULE(Hardtanh);

/// 0 where |x| <= lambda, else x (torch::nn::Hardshrink).
ETUDE_MODULE_OF_FUNCTIONAL(Hardshrink, (const Tensor& input), hardshrink(input, options),
                           python_float(options.lambda()));

/// 0 where |x| <= lambda, else x moved towards 0 by lambda (torch::nn::Softshrink).
ETUDE_MODULE_OF_FUNCTIONAL(Softshrink, (const Tensor& input), softshrink(input, options),
                           python_float(options.lambda()));

/// x - tanh(x) (torch::nn::Tanhshrink).
ETUDE_MODULE_OF_FUNCTION(Tanhshrink, void, (const Tensor& input), functional::tanhshrink(input));

}  // namespace etude::nn
