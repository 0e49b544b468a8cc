#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// x where x > 0, else negative_slope * x (torch::nn::LeakyReLU).
ETUDE_MODULE_OF_FUNCTIONAL(LeakyReLU, (Tensor input), leaky_relu(input, options),
                           etude::detail::python_str("negative_slope=", options.negative_slope(),
                                                     options.inplace() ? ", inplace=True" : ""));

/// x where x > 0, else alpha * (exp(x) - 1) (torch::nn::ELU; Clevert et al. 2016).
ETUDE_MODULE_OF_FUNCTIONAL(ELU, (Tensor input), elu(input, options),
                           etude::detail::python_str("alpha=", options.alpha(),
                                                     options.inplace() ? ", inplace=True" : ""));

/// elu with the alpha and the scale that keep mean 0 and variance 1 (torch::nn::SELU; Klambauer et al. 2017).
ETUDE_MODULE_OF_FUNCTIONAL(SELU, (Tensor input), selu(input, options),
                           options.inplace() ? "inplace=True" : "");

/// x where x > 0, else alpha * (exp(x / alpha) - 1) (torch::nn::CELU; Barron 2017).
ETUDE_MODULE_OF_FUNCTIONAL(CELU, (Tensor input), celu(input, options),
                           etude::detail::python_str("alpha=", options.alpha(),
                                                     options.inplace() ? ", inplace=True" : ""));

/// min(max(x, 0), 6) (torch::nn::ReLU6).
ETUDE_MODULE_OF_FUNCTIONAL(ReLU6, (Tensor input), relu6(input, options),
                           options.inplace() ? "inplace=True" : "");

struct PReLUOptions {
  /// 1 for a single weight, or the number of channels (dim 1) for one weight each.
  ETUDE_ARG(int64_t, num_parameters) = 1;
  /// The initial value of the weights.
  ETUDE_ARG(double, init) = 0.25;
};

/// x where x > 0, else weight * x with a learned weight (torch::nn::PReLU; He et al. 2015).
class ETUDE_API PReLUImpl : public Cloneable<PReLUImpl> {
 public:
  explicit PReLUImpl(const PReLUOptions& options_ = {}) : options(options_) { PReLUImpl::reset(); }
  void reset() override {
    weight = register_parameter("weight", etude::full({options.num_parameters()}, options.init()));
  }
  Tensor forward(const Tensor& input) { return functional::prelu(input, weight); }
  std::string extra_repr() const override { return str("num_parameters=", options.num_parameters()); }

  PReLUOptions options;
  Tensor weight;  ///< [num_parameters]
};
ETUDE_MODULE(PReLU);

}  // namespace etude::nn
