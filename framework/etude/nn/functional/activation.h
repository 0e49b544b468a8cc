#pragma once

#include <cstdint>
#include <string>

#include "etude/core/error.h"
#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/ops/ops.h"

// Elementwise activations, and softmax and related functions.

namespace etude::nn::functional {

namespace detail {
template <typename OfFunction>
struct InplaceOptions {
  InplaceOptions(bool inplace = false) : inplace_(inplace) {}
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace);
};
template <typename OfFunction>
struct AlphaOptions {
  /// The result approaches -alpha as x goes to -infinity; celu refuses 0.
  ETUDE_ARG(double, alpha) = 1.0;
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};
template <typename OfFunction>
struct LambdaOptions {
  LambdaOptions(double lambda = 0.5) : lambda_(lambda) {}
  /// Up to this |x|, the result is 0; softshrink refuses a negative bound.
  ETUDE_ARG(double, lambda);
};
}  // namespace detail
using ReLUFuncOptions = detail::InplaceOptions<struct OfReLU>;
using SELUFuncOptions = detail::InplaceOptions<struct OfSELU>;
using ReLU6FuncOptions = detail::InplaceOptions<struct OfReLU6>;
using ELUFuncOptions = detail::AlphaOptions<struct OfELU>;
using CELUFuncOptions = detail::AlphaOptions<struct OfCELU>;
using HardshrinkFuncOptions = detail::LambdaOptions<struct OfHardshrink>;
using SoftshrinkFuncOptions = detail::LambdaOptions<struct OfSoftshrink>;

/// max(x, 0)
inline Tensor relu(Tensor input, const ReLUFuncOptions& options = {}) {
  return options.inplace() ? etude::relu_(input) : etude::relu(input);
}

struct GELUFuncOptions {
  /// "none" or "tanh".
  ETUDE_ARG(std::string, approximate) = "none";
};

/// x * Phi(x), where Phi is the distribution function of N(0, 1); approximate is "none" or "tanh".
inline Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {}) {
  return etude::gelu(input, options.approximate());
}

struct LeakyReLUFuncOptions {
  /// The slope where x < 0.
  ETUDE_ARG(double, negative_slope) = 1e-2;
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > 0, else negative_slope * x.
inline Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {}) {
  return options.inplace() ? leaky_relu_(input, options.negative_slope())
                           : etude::leaky_relu(input, options.negative_slope());
}

/// x * sigmoid(x)
using etude::silu;

/// x * tanh(log(1 + exp(x)))
using etude::mish;

/// log(sigmoid(x))
inline Tensor logsigmoid(const Tensor& input) { return log_sigmoid(input); }

/// x / (1 + |x|)
inline Tensor softsign(const Tensor& input) { return input / (input.abs() + 1); }

/// x - tanh(x)
inline Tensor tanhshrink(const Tensor& input) { return input - input.tanh(); }

/// x where x > 0, else alpha * (exp(x) - 1).
inline Tensor elu(Tensor input, const ELUFuncOptions& options = {}) {
  return options.inplace() ? elu_(input, options.alpha()) : etude::elu(input, options.alpha());
}

/// elu with the alpha and the scale that keep mean 0 and variance 1 (Klambauer et al. 2017).
inline Tensor selu(Tensor input, const SELUFuncOptions& options = {}) {
  return options.inplace() ? selu_(input) : etude::selu(input);
}

/// x where x > 0, else alpha * (exp(x / alpha) - 1).
inline Tensor celu(Tensor input, const CELUFuncOptions& options = {}) {
  return options.inplace() ? celu_(input, options.alpha()) : etude::celu(input, options.alpha());
}

/// min(max(x, 0), 6)
inline Tensor relu6(Tensor input, const ReLU6FuncOptions& options = {}) {
  return options.inplace() ? relu6_(input) : etude::relu6(input);
}

/// x where x > 0, else weight * x; weight has one element, or one per channel, which is dim 1.
using etude::prelu;

struct HardtanhFuncOptions {
  /// The lower bound of the result.
  ETUDE_ARG(double, min_val) = -1.0;
  /// The upper bound of the result.
  ETUDE_ARG(double, max_val) = 1.0;
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};

/// min(max(x, min_val), max_val)
inline Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options = {}) {
  return options.inplace() ? hardtanh_(input, options.min_val(), options.max_val())
                           : etude::hardtanh(input, options.min_val(), options.max_val());
}

/// 0 where |x| <= lambda, else x.
inline Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {}) {
  return etude::hardshrink(input, options.lambda());
}

/// 0 where |x| <= lambda, else x moved towards 0 by lambda.
inline Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {}) {
  return etude::softshrink(input, options.lambda());
}

struct ThresholdFuncOptions {
  ThresholdFuncOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  /// The result is x above this number.
  ETUDE_ARG(double, threshold);
  /// The result where x <= threshold.
  ETUDE_ARG(double, value);
  /// Whether to write the result into the input.
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > threshold, else value.
inline Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? threshold_(input, options.threshold(), options.value())
                           : etude::threshold(input, options.threshold(), options.value());
}

struct GLUFuncOptions {
  GLUFuncOptions(int64_t dim = -1) : dim_(dim) {}
  /// The dim to split in half.
  ETUDE_ARG(int64_t, dim);
};

/// The first half along a dim times the sigmoid of the second half: [..., 2 n, ...] -> [..., n, ...].
inline Tensor glu(const Tensor& input, const GLUFuncOptions& options = {}) {
  ETUDE_CHECK(input.dim() != 0, "glu does not support scalars because halving size must be even");
  return etude::glu(input, options.dim());
}

struct SoftplusFuncOptions {
  /// The larger it is, the closer the result is to max(x, 0).
  ETUDE_ARG(double, beta) = 1.0;
  /// Where beta * x is above this, the result is x.
  ETUDE_ARG(double, threshold) = 20.0;
};

/// log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
inline Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {}) {
  return etude::softplus(input, options.beta(), options.threshold());
}

namespace detail {
template <typename OfFunction>
struct SoftmaxOptions {
  SoftmaxOptions(int64_t dim) : dim_(dim) {}
  /// The dim of the sum.
  ETUDE_ARG(int64_t, dim);
  /// The type to convert to first.
  ETUDE_ARG(optional<Dtype>, dtype) = nullopt;
};
}  // namespace detail
using SoftmaxFuncOptions = detail::SoftmaxOptions<struct OfSoftmax>;
using LogSoftmaxFuncOptions = detail::SoftmaxOptions<struct OfLogSoftmax>;
using SoftminFuncOptions = detail::SoftmaxOptions<struct OfSoftmin>;

/// exp(x) divided by its sum along a dim.
inline Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return etude::softmax(input, options.dim(), options.dtype());
}
/// The logarithm of softmax.
inline Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return etude::log_softmax(input, options.dim(), options.dtype());
}
/// The softmax of -x.
inline Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return etude::softmax(-input, options.dim(), options.dtype());
}

struct GumbelSoftmaxFuncOptions {
  /// The temperature.
  ETUDE_ARG(double, tau) = 1.0;
  /// Whether the result is one-hot, with the gradient of the soft sample.
  ETUDE_ARG(bool, hard) = false;
  /// The dim of the sum.
  ETUDE_ARG(int, dim) = -1;
};

/// The softmax of (logits + Gumbel noise) / tau: a sample of classes with probabilities softmax(logits) (Jang et al. 2017).
inline Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {}) {
  const Tensor noise = -empty_like(logits).exponential_().log();
  Tensor soft = etude::softmax((logits + noise) / options.tau(), options.dim());
  if (!options.hard()) return soft;
  const Tensor chosen = std::get<1>(soft.max(options.dim(), /*keepdim=*/true));
  return zeros_like(logits).scatter_(options.dim(), chosen, 1.0) - soft.detach() + soft;
}

}  // namespace etude::nn::functional
