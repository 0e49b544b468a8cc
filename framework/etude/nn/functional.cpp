#include "etude/nn/functional.h"

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"

namespace etude {
namespace nn {
namespace functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return etude::linear(input, weight, bias);
}

namespace {

// The row as the op wants it: counted from the start, -1 if there is none.
int64_t padding_row(const optional<int64_t>& padding_idx, const Tensor& weight) {
  if (!padding_idx) return -1;
  const int64_t rows = weight.size(0);
  ETUDE_CHECK_VALUE(-rows <= *padding_idx && *padding_idx < rows,
                    "Padding_idx must be within num_embeddings\nembedding: padding_idx ", *padding_idx,
                    " of a weight of sizes ", weight.sizes());
  return *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
}

}  // namespace

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  const int64_t padding_idx = padding_row(options.padding_idx(), weight);
  if (options.max_norm()) {
    NoGradGuard no_grad;
    Tensor rows = weight;
    embedding_renorm_(rows, input, *options.max_norm(), options.norm_type());
  }
  return etude::embedding(weight, input, padding_idx, options.scale_grad_by_freq(), options.sparse());
}

Tensor one_hot(const Tensor& tensor, int64_t num_classes) { return etude::one_hot(tensor, num_classes); }

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  return options.inplace() ? etude::dropout_(input, options.p(), options.training())
                           : etude::dropout(input, options.p(), options.training());
}

Tensor relu(Tensor input, const ReLUFuncOptions& options) {
  return options.inplace() ? etude::relu_(input) : etude::relu(input);
}

Tensor gelu(const Tensor& input, const GELUFuncOptions& options) {
  return etude::gelu(input, options.approximate());
}

Tensor leaky_relu(Tensor input, const LeakyReLUFuncOptions& options) {
  return options.inplace() ? leaky_relu_(input, options.negative_slope())
                           : etude::leaky_relu(input, options.negative_slope());
}

Tensor silu(const Tensor& input) { return etude::silu(input); }

Tensor elu(Tensor input, const ELUFuncOptions& options) {
  return options.inplace() ? elu_(input, options.alpha()) : etude::elu(input, options.alpha());
}

Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options) {
  return etude::softplus(input, options.beta(), options.threshold());
}

Tensor layer_norm(const Tensor& input, const LayerNormFuncOptions& options) {
  return etude::layer_norm(input, options.normalized_shape(), options.weight(), options.bias(),
                           options.eps());
}

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return etude::softmax(input, options.dim(), options.dtype());
}

Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return etude::log_softmax(input, options.dim(), options.dtype());
}

Tensor nll_loss(const Tensor& input, const Tensor& target, const NLLLossFuncOptions& options) {
  return etude::nll_loss(input, target, options.weight(), enumtype::reduction_get_enum(options.reduction()),
                         options.ignore_index());
}

Tensor cross_entropy(const Tensor& input, const Tensor& target, const CrossEntropyFuncOptions& options) {
  return cross_entropy_loss(input, target, options.weight(),
                            enumtype::reduction_get_enum(options.reduction()), options.ignore_index(),
                            options.label_smoothing());
}

Tensor mse_loss(const Tensor& input, const Tensor& target, const MSELossFuncOptions& options) {
  return etude::mse_loss(input, target, enumtype::reduction_get_enum(options.reduction()));
}

Tensor l1_loss(const Tensor& input, const Tensor& target, const L1LossFuncOptions& options) {
  return etude::l1_loss(input, target, enumtype::reduction_get_enum(options.reduction()));
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossFuncOptions& options,
                      double beta) {
  const Shape sizes = broadcast_sizes(input.sizes(), target.sizes());
  return etude::smooth_l1_loss(input.expand(sizes), target.expand(sizes),
                               enumtype::reduction_get_enum(options.reduction()), beta);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossFuncOptions& options) {
  const Shape sizes = broadcast_sizes(input.sizes(), target.sizes());
  return etude::huber_loss(input.expand(sizes), target.expand(sizes),
                           enumtype::reduction_get_enum(options.reduction()), options.delta());
}

Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
  ETUDE_CHECK(target.sizes() == input.sizes(), "Target size (", target.sizes(),
              ") must be the same as input size (", input.sizes(), ")");
  return etude::binary_cross_entropy_with_logits(input, target, options.weight(), options.pos_weight(),
                                                 enumtype::reduction_get_enum(options.reduction()));
}

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivFuncOptions& options) {
  if (!std::holds_alternative<enumtype::kBatchMean>(options.reduction()))
    return etude::kl_div(input, target, enumtype::reduction_get_enum(options.reduction()),
                         options.log_target());
  const Tensor total = etude::kl_div(input, target, Reduction::Sum, options.log_target());
  return input.dim() == 0 ? total : total / input.size(0);
}

}  // namespace functional
}  // namespace nn
}  // namespace etude
