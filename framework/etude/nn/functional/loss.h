#pragma once

#include <cstdint>
#include <variant>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"

// Losses. Without an option `reduction` they are means.

namespace etude::nn::functional {

/// What becomes of the losses of the elements: kept, their mean or their sum.
using ReductionType = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

// The option `reduction`; in the second form it may stand alone, as in mse_loss(x, y, kSum).
#define ETUDE_REDUCTION              \
  using reduction_t = ReductionType; \
  ETUDE_ARG(reduction_t, reduction) = kMean;
#define ETUDE_REDUCTION_FIRST(Options)                          \
  Options() = default;                                          \
  Options(enumtype::kNone reduction) : reduction_(reduction) {} \
  Options(enumtype::kMean reduction) : reduction_(reduction) {} \
  Options(enumtype::kSum reduction) : reduction_(reduction) {}  \
  ETUDE_REDUCTION

struct NLLLossFuncOptions {
  /// A factor per class [classes].
  ETUDE_ARG(Tensor, weight) = {};
  /// The class that counts for nothing.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_REDUCTION
};

/// Minus the log-probability at each target class: [n, classes] or [n, classes, ...], target [n] or [n, ...].
ETUDE_API Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {});

struct CrossEntropyFuncOptions {
  /// A factor per class [classes].
  ETUDE_ARG(Tensor, weight) = {};
  /// The class that counts for nothing.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_REDUCTION
  /// How much of each target is spread evenly over all classes.
  ETUDE_ARG(double, label_smoothing) = 0.0;
};

/// nll_loss of log_softmax; `target` holds classes, or probabilities of the input's shape.
ETUDE_API Tensor cross_entropy(const Tensor& input, const Tensor& target,
                               const CrossEntropyFuncOptions& options = {});

struct MSELossFuncOptions {
  ETUDE_REDUCTION_FIRST(MSELossFuncOptions)
};

/// (input - target)^2
ETUDE_API Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {});

struct L1LossFuncOptions {
  ETUDE_REDUCTION_FIRST(L1LossFuncOptions)
};

/// |input - target|
ETUDE_API Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {});

struct SmoothL1LossFuncOptions {
  ETUDE_REDUCTION_FIRST(SmoothL1LossFuncOptions)
  /// Not read by smooth_l1_loss, which takes it as an argument.
  ETUDE_ARG(double, beta) = 1.0;
};

/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond.
ETUDE_API Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                                const SmoothL1LossFuncOptions& options = {}, double beta = 1.0);

struct HuberLossFuncOptions {
  ETUDE_REDUCTION_FIRST(HuberLossFuncOptions)
  /// The distance from which on the loss is linear.
  ETUDE_ARG(double, delta) = 1.0;
};

/// (input - target)^2 / 2 up to a distance of delta, linear beyond.
ETUDE_API Tensor huber_loss(const Tensor& input, const Tensor& target,
                            const HuberLossFuncOptions& options = {});

struct BinaryCrossEntropyWithLogitsFuncOptions {
  /// A factor per element.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_REDUCTION
  /// A factor of the part of the ones.
  ETUDE_ARG(Tensor, pos_weight) = {};
};

/// Minus the log-probability of target, 0 to 1, under sigmoid(input).
ETUDE_API Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const BinaryCrossEntropyWithLogitsFuncOptions& options = {});

struct KLDivFuncOptions {
  /// kBatchMean divides the sum by the first size.
  using reduction_t = std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivFuncOptions() = default;
  KLDivFuncOptions(enumtype::kBatchMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  ETUDE_ARG(reduction_t, reduction) = kMean;
  /// Whether the target holds logarithms.
  ETUDE_ARG(bool, log_target) = false;
};

/// target * (log target - input), input a log-probability.
ETUDE_API Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {});

struct BinaryCrossEntropyFuncOptions {
  /// A factor per element.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_REDUCTION
};

/// Minus the log-probability of target, 0 to 1, under input, a probability; logarithms are at least -100.
ETUDE_API Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                      const BinaryCrossEntropyFuncOptions& options = {});

struct SoftMarginLossFuncOptions {
  ETUDE_REDUCTION_FIRST(SoftMarginLossFuncOptions)
};

/// log(1 + exp(-target * input)), target -1 or 1.
ETUDE_API Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                                  const SoftMarginLossFuncOptions& options = {});

struct HingeEmbeddingLossFuncOptions {
  ETUDE_ARG(double, margin) = 1.0;
  ETUDE_REDUCTION
};

/// input where target is 1, max(0, margin - input) where it is -1.
ETUDE_API Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                      const HingeEmbeddingLossFuncOptions& options = {});

struct MarginRankingLossFuncOptions {
  ETUDE_ARG(double, margin) = 0;
  ETUDE_REDUCTION
};

/// max(0, -target * (input1 - input2) + margin), target -1 or 1.
ETUDE_API Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                     const MarginRankingLossFuncOptions& options = {});

struct CosineEmbeddingLossFuncOptions {
  /// Between -1 and 1.
  ETUDE_ARG(double, margin) = 0.0;
  ETUDE_REDUCTION
};

/// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1: [n, d], [n, d], [n] or [d], [d], [].
ETUDE_API Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                       const CosineEmbeddingLossFuncOptions& options = {});

struct TripletMarginLossFuncOptions {
  ETUDE_ARG(double, margin) = 1.0;
  /// The distances are p-norms.
  ETUDE_ARG(double, p) = 2.0;
  ETUDE_ARG(double, eps) = 1e-6;
  /// Whether the negative is as far as from the nearer one of anchor and positive.
  ETUDE_ARG(bool, swap) = false;
  ETUDE_REDUCTION
};

/// max(0, |anchor - positive| - |anchor - negative| + margin): [n, d] or [d].
ETUDE_API Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                     const TripletMarginLossFuncOptions& options = {});

struct PoissonNLLLossFuncOptions {
  /// Whether input is the logarithm of the rate, rather than the rate itself.
  ETUDE_ARG(bool, log_input) = true;
  /// Whether to add Stirling's approximation of log(target!), where target > 1.
  ETUDE_ARG(bool, full) = false;
  /// Added to a rate before its logarithm is taken.
  ETUDE_ARG(double, eps) = 1e-8;
  ETUDE_REDUCTION
};

/// Minus the log-probability of a count under a Poisson distribution.
ETUDE_API Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                                  const PoissonNLLLossFuncOptions& options = {});

#undef ETUDE_REDUCTION_FIRST
#undef ETUDE_REDUCTION

}  // namespace etude::nn::functional
