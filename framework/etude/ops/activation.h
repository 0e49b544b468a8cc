#pragma once

#include <string>

#include "etude/core/tensor.h"

// Activations, all elementwise except glu: activation.cpp, gelu.cpp, threshold.cpp.

namespace etude {

/// (e^x - e^-x) / (e^x + e^-x)
ETUDE_API Tensor tanh(const Tensor& self);
/// 1 / (1 + exp(-x))
ETUDE_API Tensor sigmoid(const Tensor& self);
/// max(x, 0)
ETUDE_API Tensor relu(const Tensor& self);
ETUDE_API Tensor& relu_(Tensor& self);
/// x * Phi(x), where Phi is the distribution function of N(0, 1); approximate is "none" or "tanh".
ETUDE_API Tensor gelu(const Tensor& self, const std::string& approximate = "none");
/// x where x > 0, else negative_slope * x.
ETUDE_API Tensor leaky_relu(const Tensor& self, const Scalar& negative_slope = 0.01);
ETUDE_API Tensor& leaky_relu_(Tensor& self, const Scalar& negative_slope = 0.01);
/// x * sigmoid(x)
ETUDE_API Tensor silu(const Tensor& self);
ETUDE_API Tensor& silu_(Tensor& self);
/// scale * x where x > 0, else scale * alpha * (exp(input_scale * x) - 1).
ETUDE_API Tensor elu(const Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                     const Scalar& input_scale = 1);
ETUDE_API Tensor& elu_(Tensor& self, const Scalar& alpha = 1, const Scalar& scale = 1,
                       const Scalar& input_scale = 1);
/// log(1 + exp(beta * x)) / beta, or x where beta * x > threshold.
ETUDE_API Tensor softplus(const Tensor& self, const Scalar& beta = 1, const Scalar& threshold = 20);
/// elu with the constants of self-normalizing networks: alpha = 1.67326... and scale = 1.05070...
ETUDE_API Tensor selu(const Tensor& self);
ETUDE_API Tensor& selu_(Tensor& self);
/// x where x > 0, else alpha * (exp(x / alpha) - 1).
ETUDE_API Tensor celu(const Tensor& self, const Scalar& alpha = 1.0);
ETUDE_API Tensor& celu_(Tensor& self, const Scalar& alpha = 1.0);
/// x * tanh(log(1 + exp(x)))
ETUDE_API Tensor mish(const Tensor& self);
ETUDE_API Tensor& mish_(Tensor& self);
/// log(sigmoid(x))
ETUDE_API Tensor log_sigmoid(const Tensor& self);
/// The first half along a dim times the sigmoid of the second half: [..., 2 n, ...] -> [..., n, ...].
ETUDE_API Tensor glu(const Tensor& self, int64_t dim = -1);
/// x where x > 0, else weight * x; weight has one element, or one per channel, which is dim 1.
ETUDE_API Tensor prelu(const Tensor& self, const Tensor& weight);
/// x where x > threshold, else value.
ETUDE_API Tensor threshold(const Tensor& self, const Scalar& threshold, const Scalar& value);
ETUDE_API Tensor& threshold_(Tensor& self, const Scalar& threshold, const Scalar& value);
/// min(max(x, min_val), max_val)
ETUDE_API Tensor hardtanh(const Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
ETUDE_API Tensor& hardtanh_(Tensor& self, const Scalar& min_val = -1, const Scalar& max_val = 1);
/// min(max(x, 0), 6)
ETUDE_API Tensor relu6(const Tensor& self);
ETUDE_API Tensor& relu6_(Tensor& self);
/// 0 where |x| <= lambd, else x.
ETUDE_API Tensor hardshrink(const Tensor& self, const Scalar& lambd = 0.5);
/// 0 where |x| <= lambd, else x moved towards 0 by lambd.
ETUDE_API Tensor softshrink(const Tensor& self, const Scalar& lambd = 0.5);

}  // namespace etude
