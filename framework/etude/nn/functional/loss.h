#pragma once

#include <cstdint>
#include <utility>
#include <variant>

#include "etude/core/error.h"
#include "etude/core/shape.h"
#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/nn/enums.h"
#include "etude/ops/ops.h"

// Losses. The default of the option `reduction` is the mean.

namespace etude::nn::functional {

/// How losses of elements are reduced: not at all, to their mean or to their sum.
using ReductionType = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;

namespace detail {
template <typename Options>
int64_t reduction_of(const Options& options) {
  return enumtype::reduction_get_enum(options.reduction());
}
/// Both tensors broadcast to common sizes; a tensor that already has them is returned itself.
inline std::pair<Tensor, Tensor> broadcast(const Tensor& input, const Tensor& target) {
  const Shape sizes = broadcast_sizes(input.sizes(), target.sizes());
  const auto expanded = [&](const Tensor& t) { return t.sizes() == sizes.ref() ? t : t.expand(sizes); };
  return {expanded(input), expanded(target)};
}
}  // namespace detail

// The option `reduction`. With the second macro it may be passed alone, as in mse_loss(x, y, kSum).
#define ETUDE_REDUCTION                                                                    \
  using reduction_t = ReductionType;                                                       \
  /** Whether the result is the mean, the sum or, with kNone, the loss of each element. */ \
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
  /// The class whose targets are ignored.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_REDUCTION
};

/// The negative log-probability of each target class: [n, classes] or [n, classes, ...], target [n] or [n, ...].
inline Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options = {}) {
  return etude::nll_loss(input, target, options.weight(), detail::reduction_of(options),
                         options.ignore_index());
}

struct CrossEntropyFuncOptions {
  /// A factor per class [classes].
  ETUDE_ARG(Tensor, weight) = {};
  /// The class whose targets are ignored.
  ETUDE_ARG(int64_t, ignore_index) = -100;
  ETUDE_REDUCTION
  /// The part of each target that is spread evenly over all classes.
  ETUDE_ARG(double, label_smoothing) = 0.0;
};

/// The negative log-probability of each target under softmax(input): [n, classes, ...], target [n, ...] of class numbers, or
/// probabilities of the input's shape.
inline Tensor cross_entropy(const Tensor& input, const Tensor& target,
                            const CrossEntropyFuncOptions& options = {}) {
  return cross_entropy_loss(input, target, options.weight(), detail::reduction_of(options),
                            options.ignore_index(), options.label_smoothing());
}

/// cross_entropy of linear(input, linear_weight, linear_bias), without computing all logits at once: input
/// [..., in], linear_weight [classes, in], target [...], linear_bias [classes].
inline Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                                   const Tensor& linear_bias = {},
                                   const CrossEntropyFuncOptions& options = {}) {
  return etude::linear_cross_entropy(input, linear_weight, target, linear_bias, options.weight(),
                                     detail::reduction_of(options), options.ignore_index(),
                                     options.label_smoothing());
}

struct MSELossFuncOptions {
  ETUDE_REDUCTION_FIRST(MSELossFuncOptions)
};

/// The squared error (input - target)^2.
inline Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options = {}) {
  return etude::mse_loss(input, target, detail::reduction_of(options));
}

struct L1LossFuncOptions {
  ETUDE_REDUCTION_FIRST(L1LossFuncOptions)
};

/// The absolute error |input - target|.
inline Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options = {}) {
  return etude::l1_loss(input, target, detail::reduction_of(options));
}

struct SmoothL1LossFuncOptions {
  ETUDE_REDUCTION_FIRST(SmoothL1LossFuncOptions)
  /// The distance above which the loss is linear. The function ignores it and takes beta as an argument.
  ETUDE_ARG(double, beta) = 1.0;
};

/// (input - target)^2 / (2 beta) up to a distance of beta, linear beyond.
inline Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                             const SmoothL1LossFuncOptions& options = {}, double beta = 1.0) {
  const auto [x, y] = detail::broadcast(input, target);
  return etude::smooth_l1_loss(x, y, detail::reduction_of(options), beta);
}

struct HuberLossFuncOptions {
  ETUDE_REDUCTION_FIRST(HuberLossFuncOptions)
  /// The distance above which the loss is linear.
  ETUDE_ARG(double, delta) = 1.0;
};

/// (input - target)^2 / 2 up to a distance of delta, linear beyond.
inline Tensor huber_loss(const Tensor& input, const Tensor& target,
                         const HuberLossFuncOptions& options = {}) {
  const auto [x, y] = detail::broadcast(input, target);
  return etude::huber_loss(x, y, detail::reduction_of(options), options.delta());
}

struct BinaryCrossEntropyWithLogitsFuncOptions {
  /// A factor per element.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_REDUCTION
  /// A factor for the term where target is 1.
  ETUDE_ARG(Tensor, pos_weight) = {};
};

/// The negative log-probability of target (0 to 1) under sigmoid(input).
inline Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                               const BinaryCrossEntropyWithLogitsFuncOptions& options = {}) {
  ETUDE_CHECK(target.sizes() == input.sizes(), "Target size (", target.sizes(),
              ") must be the same as input size (", input.sizes(), ")");
  return etude::binary_cross_entropy_with_logits(input, target, options.weight(), options.pos_weight(),
                                                 detail::reduction_of(options));
}

struct KLDivFuncOptions {
  /// kBatchMean divides the sum by the first size.
  using reduction_t = std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivFuncOptions() = default;
  KLDivFuncOptions(enumtype::kBatchMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kNone reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kMean reduction) : reduction_(reduction) {}
  KLDivFuncOptions(enumtype::kSum reduction) : reduction_(reduction) {}
  /// Whether the result is the mean, the sum, with kBatchMean the sum divided by the first size, or with kNone the loss
  /// of each element.
  ETUDE_ARG(reduction_t, reduction) = kMean;
  /// Whether the target holds logarithms.
  ETUDE_ARG(bool, log_target) = false;
};

/// target * (log target - input); input holds log-probabilities.
inline Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options = {}) {
  if (!std::holds_alternative<enumtype::kBatchMean>(options.reduction()))
    return etude::kl_div(input, target, detail::reduction_of(options), options.log_target());
  const Tensor total = etude::kl_div(input, target, Reduction::Sum, options.log_target());
  return input.dim() == 0 ? total : total / input.size(0);
}

struct BinaryCrossEntropyFuncOptions {
  /// A factor per element.
  ETUDE_ARG(Tensor, weight) = {};
  ETUDE_REDUCTION
};

/// The negative log-probability of target (0 to 1) under the probability input; logarithms are clamped to at least -100.
inline Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                   const BinaryCrossEntropyFuncOptions& options = {}) {
  ETUDE_CHECK(target.sizes() == input.sizes(), "Using a target size (", target.sizes(),
              ") that is different to the input size (", input.sizes(),
              ") is deprecated. Please ensure they have the same size.");
  Tensor weight = options.weight();
  if (weight.defined()) weight = weight.expand(broadcast_sizes(target.sizes(), weight.sizes()));
  return etude::binary_cross_entropy(input, target, weight, detail::reduction_of(options));
}

struct SoftMarginLossFuncOptions {
  ETUDE_REDUCTION_FIRST(SoftMarginLossFuncOptions)
};

/// log(1 + exp(-target * input)), target -1 or 1.
inline Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                               const SoftMarginLossFuncOptions& options = {}) {
  return etude::soft_margin_loss(input, target, detail::reduction_of(options));
}

struct HingeEmbeddingLossFuncOptions {
  /// The value above which an input with the target -1 has no loss.
  ETUDE_ARG(double, margin) = 1.0;
  ETUDE_REDUCTION
};

/// input where target is 1, max(0, margin - input) where it is -1.
inline Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                   const HingeEmbeddingLossFuncOptions& options = {}) {
  return etude::hinge_embedding_loss(input, target, options.margin(), detail::reduction_of(options));
}

struct MarginRankingLossFuncOptions {
  /// The difference of the inputs above which there is no loss.
  ETUDE_ARG(double, margin) = 0;
  ETUDE_REDUCTION
};

/// max(0, -target * (input1 - input2) + margin), target -1 or 1.
inline Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                  const MarginRankingLossFuncOptions& options = {}) {
  ETUDE_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
              "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ",
              input1.sizes(), ", input2: ", input2.sizes(), ", target: ", target.sizes());
  return etude::margin_ranking_loss(input1, input2, target, options.margin(), detail::reduction_of(options));
}

struct CosineEmbeddingLossFuncOptions {
  /// The cosine below which a pair with the target -1 has no loss: between -1 and 1.
  ETUDE_ARG(double, margin) = 0.0;
  ETUDE_REDUCTION
};

/// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1: [n, d], [n, d], [n] or [d], [d], [].
inline Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                    const CosineEmbeddingLossFuncOptions& options = {}) {
  return etude::cosine_embedding_loss(input1, input2, target, options.margin(),
                                      detail::reduction_of(options));
}

struct TripletMarginLossFuncOptions {
  /// How much farther than the positive the negative has to be for no loss.
  ETUDE_ARG(double, margin) = 1.0;
  /// The p of the norm that measures distances.
  ETUDE_ARG(double, p) = 2.0;
  /// Added to each difference of elements.
  ETUDE_ARG(double, eps) = 1e-6;
  /// Whether to use the smaller of negative's distances from anchor and from positive.
  ETUDE_ARG(bool, swap) = false;
  ETUDE_REDUCTION
};

/// max(0, |anchor - positive| - |anchor - negative| + margin): [n, d] or [d].
inline Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                  const TripletMarginLossFuncOptions& options = {}) {
  return etude::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(), options.eps(),
                                    options.swap(), detail::reduction_of(options));
}

struct PoissonNLLLossFuncOptions {
  /// Whether input is the logarithm of the rate, rather than the rate itself.
  ETUDE_ARG(bool, log_input) = true;
  /// Whether to add Stirling's approximation of log(target!), where target > 1.
  ETUDE_ARG(bool, full) = false;
  /// Added to a rate before its logarithm is taken.
  ETUDE_ARG(double, eps) = 1e-8;
  ETUDE_REDUCTION
};

/// The negative log-probability of a count under a Poisson distribution.
inline Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                               const PoissonNLLLossFuncOptions& options = {}) {
  return etude::poisson_nll_loss(input, target, options.log_input(), options.full(), options.eps(),
                                 detail::reduction_of(options));
}

#undef ETUDE_REDUCTION_FIRST
#undef ETUDE_REDUCTION

}  // namespace etude::nn::functional
