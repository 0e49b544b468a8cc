#pragma once

#include <cstdint>
#include <string>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"

// Activations, element by element, and the softmax and its kin.

namespace etude {
namespace nn {
namespace functional {

struct ReLUFuncOptions {
  ReLUFuncOptions(bool inplace = false) : inplace_(inplace) {}
  ETUDE_ARG(bool, inplace);
};

/// max(x, 0)
ETUDE_API Tensor relu(Tensor input, const ReLUFuncOptions& options = {});

struct GELUFuncOptions {
  /// "none" or "tanh".
  ETUDE_ARG(std::string, approximate) = "none";
};

/// x * Phi(x)
ETUDE_API Tensor gelu(const Tensor& input, const GELUFuncOptions& options = {});

struct LeakyReLUFuncOptions {
  /// The slope where x < 0.
  ETUDE_ARG(double, negative_slope) = 1e-2;
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > 0, else negative_slope * x.
ETUDE_API Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options = {});

/// x * sigmoid(x)
ETUDE_API Tensor silu(const Tensor& input);

/// x * tanh(log(1 + exp(x)))
ETUDE_API Tensor mish(const Tensor& input);

/// log(sigmoid(x))
ETUDE_API Tensor logsigmoid(const Tensor& input);

/// x / (1 + |x|)
ETUDE_API Tensor softsign(const Tensor& input);

/// x - tanh(x)
ETUDE_API Tensor tanhshrink(const Tensor& input);

struct ELUFuncOptions {
  /// Minus the limit on the left.
  ETUDE_ARG(double, alpha) = 1.0;
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > 0, else alpha * (exp(x) - 1).
ETUDE_API Tensor elu(Tensor input, const ELUFuncOptions& options = {});

struct SELUFuncOptions {
  SELUFuncOptions(bool inplace = false) : inplace_(inplace) {}
  ETUDE_ARG(bool, inplace);
};

/// elu with the alpha and the scale that keep mean 0 and variance 1 (Klambauer et al. 2017).
ETUDE_API Tensor selu(Tensor input, const SELUFuncOptions& options = {});

struct CELUFuncOptions {
  /// Minus the limit on the left; not 0.
  ETUDE_ARG(double, alpha) = 1.0;
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > 0, else alpha * (exp(x / alpha) - 1).
ETUDE_API Tensor celu(Tensor input, const CELUFuncOptions& options = {});

struct ReLU6FuncOptions {
  ReLU6FuncOptions(bool inplace = false) : inplace_(inplace) {}
  ETUDE_ARG(bool, inplace);
};

/// min(max(x, 0), 6)
ETUDE_API Tensor relu6(Tensor input, const ReLU6FuncOptions& options = {});

/// x where x > 0, else weight * x; weight has one element, or one per channel, which is dim 1.
ETUDE_API Tensor prelu(const Tensor& input, const Tensor& weight);

struct HardtanhFuncOptions {
  ETUDE_ARG(double, min_val) = -1.0;
  ETUDE_ARG(double, max_val) = 1.0;
  ETUDE_ARG(bool, inplace) = false;
};

/// min(max(x, min_val), max_val)
ETUDE_API Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options = {});

struct HardshrinkFuncOptions {
  HardshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}
  ETUDE_ARG(double, lambda);
};

/// 0 where |x| <= lambda, else x.
ETUDE_API Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options = {});

struct SoftshrinkFuncOptions {
  SoftshrinkFuncOptions(double lambda = 0.5) : lambda_(lambda) {}
  /// Not negative.
  ETUDE_ARG(double, lambda);
};

/// 0 where |x| <= lambda, else x moved towards 0 by lambda.
ETUDE_API Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options = {});

struct ThresholdFuncOptions {
  ThresholdFuncOptions(double threshold, double value) : threshold_(threshold), value_(value) {}
  ETUDE_ARG(double, threshold);
  /// What stands where x <= threshold.
  ETUDE_ARG(double, value);
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > threshold, else value.
ETUDE_API Tensor threshold(Tensor input, const ThresholdFuncOptions& options);

struct GLUFuncOptions {
  GLUFuncOptions(int64_t dim = -1) : dim_(dim) {}
  /// The dim that is halved.
  ETUDE_ARG(int64_t, dim);
};

/// The first half along a dim times the sigmoid of the second.
ETUDE_API Tensor glu(const Tensor& input, const GLUFuncOptions& options = {});

struct SoftplusFuncOptions {
  ETUDE_ARG(double, beta) = 1.0;
  /// Where beta * x is above it, the result is x.
  ETUDE_ARG(double, threshold) = 20.0;
};

/// log(1 + exp(beta * x)) / beta
ETUDE_API Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});

struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
  ETUDE_ARG(int64_t, dim);
  /// The type to convert to first.
  ETUDE_ARG(optional<Dtype>, dtype) = nullopt;
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;
using SoftminFuncOptions = SoftmaxFuncOptions;

/// exp(x) over its sum along a dim.
ETUDE_API Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
ETUDE_API Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);
/// The softmax of -x.
ETUDE_API Tensor softmin(const Tensor& input, const SoftminFuncOptions& options);

struct GumbelSoftmaxFuncOptions {
  /// The temperature.
  ETUDE_ARG(double, tau) = 1.0;
  /// Whether the result is one-hot, with the gradient that it would have otherwise.
  ETUDE_ARG(bool, hard) = false;
  ETUDE_ARG(int, dim) = -1;
};

/// The softmax of logits plus noise, over tau: a sample of classes with the probabilities softmax(logits)
/// (Jang et al. 2017).
ETUDE_API Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options = {});

}  // namespace functional
}  // namespace nn
}  // namespace etude
