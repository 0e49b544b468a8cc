#include "etude/nn/functional/loss.h"

#include "etude/core/error.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"

namespace etude::nn::functional {

namespace {

template <typename Options>
int64_t reduction_of(const Options& options) {
  return enumtype::reduction_get_enum(options.reduction());
}

// t itself if it has the sizes already.
Tensor expanded(const Tensor& t, const Shape& sizes) {
  return t.sizes() == sizes.ref() ? t : t.expand(sizes);
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  return etude::nll_loss(input, target, options.weight(), reduction_of(options), options.ignore_index());
}

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& options) {
  return cross_entropy_loss(input, target, options.weight(), reduction_of(options), options.ignore_index(),
                            options.label_smoothing());
}

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  return etude::mse_loss(input, target, reduction_of(options));
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  return etude::l1_loss(input, target, reduction_of(options));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options,
                      double beta) {
  const Shape sizes = broadcast_sizes(input.sizes(), target.sizes());
  return etude::smooth_l1_loss(expanded(input, sizes), expanded(target, sizes), reduction_of(options), beta);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  const Shape sizes = broadcast_sizes(input.sizes(), target.sizes());
  return etude::huber_loss(expanded(input, sizes), expanded(target, sizes), reduction_of(options),
                           options.delta());
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  ETUDE_CHECK(target.sizes() == input.sizes(), "Target size (", target.sizes(),
              ") must be the same as input size (", input.sizes(), ")");
  return etude::binary_cross_entropy_with_logits(input, target, options.weight(), options.pos_weight(),
                                                 reduction_of(options));
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  if (!std::holds_alternative<enumtype::kBatchMean>(options.reduction()))
    return etude::kl_div(input, target, reduction_of(options), options.log_target());
  const Tensor total = etude::kl_div(input, target, Reduction::Sum, options.log_target());
  return input.dim() == 0 ? total : total / input.size(0);
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const BinaryCrossEntropyFuncOptions& options) {
  ETUDE_CHECK(target.sizes() == input.sizes(), "Using a target size (", target.sizes(),
              ") that is different to the input size (", input.sizes(),
              ") is deprecated. Please ensure they have the same size.");
  Tensor weight = options.weight();
  if (weight.defined()) weight = weight.expand(broadcast_sizes(target.sizes(), weight.sizes()));
  return etude::binary_cross_entropy(input, target, weight, reduction_of(options));
}

Tensor soft_margin_loss(const Tensor& input, const Tensor& target, const SoftMarginLossFuncOptions& options) {
  return etude::soft_margin_loss(input, target, reduction_of(options));
}

Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                            const HingeEmbeddingLossFuncOptions& options) {
  return etude::hinge_embedding_loss(input, target, options.margin(), reduction_of(options));
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginRankingLossFuncOptions& options) {
  ETUDE_CHECK(input1.dim() == input2.dim() && input1.dim() == target.dim(),
              "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: ",
              input1.sizes(), ", input2: ", input2.sizes(), ", target: ", target.sizes());
  return etude::margin_ranking_loss(input1, input2, target, options.margin(), reduction_of(options));
}

Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const CosineEmbeddingLossFuncOptions& options) {
  return etude::cosine_embedding_loss(input1, input2, target, options.margin(), reduction_of(options));
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossFuncOptions& options) {
  return etude::triplet_margin_loss(anchor, positive, negative, options.margin(), options.p(), options.eps(),
                                    options.swap(), reduction_of(options));
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, const PoissonNLLLossFuncOptions& options) {
  return etude::poisson_nll_loss(input, target, options.log_input(), options.full(), options.eps(),
                                 reduction_of(options));
}

}  // namespace etude::nn::functional
