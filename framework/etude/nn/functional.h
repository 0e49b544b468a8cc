#pragma once

#include <cstdint>
#include <string>
#include <variant>

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

}  // namespace functional
}  // namespace nn
}  // namespace etude
