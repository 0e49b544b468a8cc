#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"

// Layers as functions: the ops of `etude/ops/ops.h` with their options in front, named as in
// torch::nn::functional. `namespace F = etude::nn::functional;` is what users write.

namespace etude {
namespace nn {
namespace functional {

/// x W^T + bias: [..., in], [out, in], [out] -> [..., out]
ETUDE_API Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});

struct EmbeddingFuncOptions {
  /// The row that gets no gradient; negative counts from the end.
  ETUDE_ARG(optional<int64_t>, padding_idx) = nullopt;
  /// Rows that are used and have a larger norm are scaled down to it first, in place.
  ETUDE_ARG(optional<double>, max_norm) = nullopt;
  /// The p of that norm.
  ETUDE_ARG(double, norm_type) = 2.0;
  /// Divides the gradient of a row by how often its id occurs.
  ETUDE_ARG(bool, scale_grad_by_freq) = false;
  /// Refused: there are no sparse tensors.
  ETUDE_ARG(bool, sparse) = false;
};

/// Rows of `weight` [rows, width] picked by ids [...] -> [..., width].
ETUDE_API Tensor embedding(const Tensor& input, const Tensor& weight,
                           const EmbeddingFuncOptions& options = {});

/// 1 at each class, 0 elsewhere: int64 [...] -> int64 [..., num_classes].
ETUDE_API Tensor one_hot(const Tensor& tensor, int64_t num_classes = -1);

struct DropoutFuncOptions {
  /// The probability that an element is zeroed.
  ETUDE_ARG(double, p) = 0.5;
  ETUDE_ARG(bool, training) = true;
  ETUDE_ARG(bool, inplace) = false;
};

/// In training, zeroes each element with probability p and divides the rest by 1 - p.
ETUDE_API Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});

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

struct ELUFuncOptions {
  /// Minus the limit on the left.
  ETUDE_ARG(double, alpha) = 1.0;
  ETUDE_ARG(bool, inplace) = false;
};

/// x where x > 0, else alpha * (exp(x) - 1).
ETUDE_API Tensor elu(Tensor input, const ELUFuncOptions& options = {});

struct SoftplusFuncOptions {
  ETUDE_ARG(double, beta) = 1.0;
  /// Where beta * x is above it, the result is x.
  ETUDE_ARG(double, threshold) = 20.0;
};

/// log(1 + exp(beta * x)) / beta
ETUDE_API Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options = {});

struct LayerNormFuncOptions {
  LayerNormFuncOptions(std::vector<int64_t> normalized_shape)
      : normalized_shape_(std::move(normalized_shape)) {}
  /// The sizes of the last dims, over which the mean and the variance are taken.
  ETUDE_ARG(std::vector<int64_t>, normalized_shape);
  /// A factor and a term per element of normalized_shape.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_ARG(Tensor, bias) = {};
  /// Added to the variance.
  ETUDE_ARG(double, eps) = 1e-5;
};

/// (x - mean) / sqrt(variance + eps) * weight + bias over the last dims.
ETUDE_API Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options);

struct SoftmaxFuncOptions {
  SoftmaxFuncOptions(int64_t dim) : dim_(dim) {}
  ETUDE_ARG(int64_t, dim);
  /// The type to convert to first.
  ETUDE_ARG(optional<Dtype>, dtype) = nullopt;
};
using LogSoftmaxFuncOptions = SoftmaxFuncOptions;

/// exp(x) over its sum along a dim.
ETUDE_API Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options);
ETUDE_API Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options);

/// What becomes of the losses of the elements: kept, their mean or their sum.
using ReductionType = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

struct NLLLossFuncOptions {
  /// A factor per class [classes].
  ETUDE_ARG(Tensor, weight) = {};
  /// The class that counts for nothing.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_ARG(ReductionType, reduction) = kMean;
};

/// Minus the log-probability at each target class: [n, classes] or [n, classes, ...], target [n] or [n, ...].
ETUDE_API Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});

struct CrossEntropyFuncOptions {
  /// A factor per class [classes].
  ETUDE_ARG(Tensor, weight) = {};
  /// The class that counts for nothing.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_ARG(ReductionType, reduction) = kMean;
  /// How much of each target is spread evenly over all classes.
  ETUDE_ARG(double, label_smoothing) = 0.0;
};

/// nll_loss of log_softmax; `target` holds classes, or probabilities of the input's shape.
ETUDE_API Tensor cross_entropy(const Tensor& input, const Tensor& target,
                               const CrossEntropyFuncOptions& options = {});

struct MSELossFuncOptions {
  MSELossFuncOptions() = default;
  MSELossFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  MSELossFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  MSELossFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(ReductionType, reduction) = kMean;
};

/// (input - target)^2
ETUDE_API Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});

struct L1LossFuncOptions {
  L1LossFuncOptions() = default;
  L1LossFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  L1LossFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  L1LossFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(ReductionType, reduction) = kMean;
};

/// |input - target|
ETUDE_API Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});

struct SmoothL1LossFuncOptions {
  SmoothL1LossFuncOptions() = default;
  SmoothL1LossFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  SmoothL1LossFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  SmoothL1LossFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(ReductionType, reduction) = kMean;
  /// Not read by smooth_l1_loss, which takes it as an argument.
  ETUDE_ARG(double, beta) = 1.0;
};

/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond.
ETUDE_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                                const SmoothL1LossFuncOptions& options = {}, double beta = 1.0);

struct HuberLossFuncOptions {
  HuberLossFuncOptions() = default;
  HuberLossFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  HuberLossFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  HuberLossFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(ReductionType, reduction) = kMean;
  /// The distance from which on the loss is linear.
  ETUDE_ARG(double, delta) = 1.0;
};

/// (input - target)^2 / 2 up to a distance of delta, linear beyond.
ETUDE_API Tensor huber_loss(const Tensor& input, const Tensor& target,
                            const HuberLossFuncOptions& options = {});

struct BinaryCrossEntropyWithLogitsFuncOptions {
  /// A factor per element.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_ARG(ReductionType, reduction) = kMean;
  /// A factor of the part of the ones.
  ETUDE_ARG(Tensor, pos_weight) = {};
};

/// Minus the log-probability of target, 0 to 1, under sigmoid(input).
ETUDE_API Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const BinaryCrossEntropyWithLogitsFuncOptions& options = {});

struct KLDivFuncOptions {
  /// kBatchMean divides the sum by the first size.
  using Reduction = std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivFuncOptions() = default;
  KLDivFuncOptions(enumtype::kBatchMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(Reduction, reduction) = kMean;
  /// Whether the target holds logarithms.
  ETUDE_ARG(bool, log_target) = false;
};

/// target * (log target - input), input a log-probability.
ETUDE_API Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});

}  // namespace functional
}  // namespace nn
}  // namespace etude
