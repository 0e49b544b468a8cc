#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// max(x, 0) (torch::nn::ReLU).
ETUDE_MODULE_OF_FUNCTIONAL(ReLU, (Tensor input), relu(input, options),
                           options.inplace() ? "inplace=True" : "");

/// x * Phi(x), or with approximate "tanh" the form of GPT-2 (torch::nn::GELU; Hendrycks and Gimpel 2016).
ETUDE_MODULE_OF_FUNCTIONAL(GELU, (const Tensor& input), gelu(input, options),
                           "approximate='" + options.approximate() + "'");

/// (e^x - e^-x) / (e^x + e^-x) (torch::nn::Tanh).
ETUDE_MODULE_OF_FUNCTION(Tanh, void, (const Tensor& input), input.tanh());

/// 1 / (1 + exp(-x)) (torch::nn::Sigmoid).
ETUDE_MODULE_OF_FUNCTION(Sigmoid, void, (const Tensor& input), input.sigmoid());

/// x * sigmoid(x) (torch::nn::SiLU).
ETUDE_MODULE_OF_FUNCTION(SiLU, void, (const Tensor& input), functional::silu(input));

/// x * tanh(log(1 + exp(x))) (torch::nn::Mish; Misra 2019).
ETUDE_MODULE_OF_FUNCTION(Mish, void, (const Tensor& input), functional::mish(input));

/// log(sigmoid(x)) (torch::nn::LogSigmoid).
ETUDE_MODULE_OF_FUNCTION(LogSigmoid, void, (const Tensor& input), functional::logsigmoid(input));

/// x / (1 + |x|) (torch::nn::Softsign).
ETUDE_MODULE_OF_FUNCTION(Softsign, void, (const Tensor& input), functional::softsign(input));

/// log(1 + exp(beta * x)) / beta, or x where beta * x > threshold (torch::nn::Softplus).
ETUDE_MODULE_OF_FUNCTIONAL(Softplus, (const Tensor& input), softplus(input, options),
                           str("beta=", python_float(options.beta()),
                               ", threshold=", python_float(options.threshold())));

/// The first half along a dim times the sigmoid of the second half: [..., 2 n, ...] -> [..., n, ...] (torch::nn::GLU;
/// Dauphin et al. 2017).
ETUDE_MODULE_OF_FUNCTIONAL(GLU, (const Tensor& input), glu(input, options), str("dim=", options.dim()));

namespace detail {
template <typename OfModule>
struct DimOptions {
  DimOptions(int64_t dim) : dim_(dim) {}
  /// The dim of the sum.
  ETUDE_ARG(int64_t, dim);
};
}  // namespace detail
using SoftmaxOptions = detail::DimOptions<class SoftmaxImpl>;
/// exp(x) divided by its sum along a dim (torch::nn::Softmax).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Softmax, SoftmaxOptions, (const Tensor& input),
                                 functional::softmax(input, options.dim()), str("dim=", options.dim()));

using LogSoftmaxOptions = detail::DimOptions<class LogSoftmaxImpl>;
/// The logarithm of softmax (torch::nn::LogSoftmax).
ETUDE_MODULE_OF_PRINTED_FUNCTION(LogSoftmax, LogSoftmaxOptions, (const Tensor& input),
                                 functional::log_softmax(input, options.dim()), str("dim=", options.dim()));

using SoftminOptions = detail::DimOptions<class SoftminImpl>;
/// The softmax of -x (torch::nn::Softmin).
ETUDE_MODULE_OF_PRINTED_FUNCTION(Softmin, SoftminOptions, (const Tensor& input),
                                 functional::softmin(input, options.dim()), str("dim=", options.dim()));

/// The function between the two linear layers of a transformer block: `kReLU`, `kGELU` or any function.
using activation_t = std::variant<enumtype::kReLU, enumtype::kGELU, std::function<Tensor(const Tensor&)>>;

namespace functional {
/// Applies the chosen function to x.
inline Tensor activate(const Tensor& x, const activation_t& activation) {
  if (std::holds_alternative<enumtype::kReLU>(activation)) return functional::relu(x);
  if (std::holds_alternative<enumtype::kGELU>(activation)) return functional::gelu(x);
  return std::get<std::function<Tensor(const Tensor&)>>(activation)(x);
}
}  // namespace functional

}  // namespace etude::nn
