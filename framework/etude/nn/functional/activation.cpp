#include "etude/nn/functional/activation.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude {
namespace nn {
namespace functional {

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

Tensor mish(const Tensor& input) { return etude::mish(input); }

Tensor logsigmoid(const Tensor& input) { return log_sigmoid(input); }

Tensor softsign(const Tensor& input) { return input / (input.abs() + 1); }

Tensor tanhshrink(const Tensor& input) { return input - input.tanh(); }

Tensor elu(Tensor input, const ELUFuncOptions& options) {
  return options.inplace() ? elu_(input, options.alpha()) : etude::elu(input, options.alpha());
}

Tensor softplus(const Tensor& input, const SoftplusFuncOptions& options) {
  return etude::softplus(input, options.beta(), options.threshold());
}

Tensor selu(Tensor input, const SELUFuncOptions& options) {
  return options.inplace() ? selu_(input) : etude::selu(input);
}

Tensor celu(Tensor input, const CELUFuncOptions& options) {
  return options.inplace() ? celu_(input, options.alpha()) : etude::celu(input, options.alpha());
}

Tensor relu6(Tensor input, const ReLU6FuncOptions& options) {
  return options.inplace() ? relu6_(input) : etude::relu6(input);
}

Tensor prelu(const Tensor& input, const Tensor& weight) { return etude::prelu(input, weight); }

Tensor hardtanh(Tensor input, const HardtanhFuncOptions& options) {
  return options.inplace() ? hardtanh_(input, options.min_val(), options.max_val())
                           : etude::hardtanh(input, options.min_val(), options.max_val());
}

Tensor hardshrink(const Tensor& input, const HardshrinkFuncOptions& options) {
  return etude::hardshrink(input, options.lambda());
}

Tensor softshrink(const Tensor& input, const SoftshrinkFuncOptions& options) {
  return etude::softshrink(input, options.lambda());
}

Tensor threshold(Tensor input, const ThresholdFuncOptions& options) {
  return options.inplace() ? threshold_(input, options.threshold(), options.value())
                           : etude::threshold(input, options.threshold(), options.value());
}

Tensor glu(const Tensor& input, const GLUFuncOptions& options) {
  ETUDE_CHECK(input.dim() != 0, "glu does not suppport scalars because halving size must be even");
  return etude::glu(input, options.dim());
}

Tensor softmax(const Tensor& input, const SoftmaxFuncOptions& options) {
  return etude::softmax(input, options.dim(), options.dtype());
}

Tensor log_softmax(const Tensor& input, const LogSoftmaxFuncOptions& options) {
  return etude::log_softmax(input, options.dim(), options.dtype());
}

Tensor softmin(const Tensor& input, const SoftminFuncOptions& options) {
  return etude::softmax(-input, options.dim(), options.dtype());
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  const Tensor noise = -empty_like(logits).exponential_().log();
  Tensor soft = etude::softmax((logits + noise) / options.tau(), options.dim());
  if (!options.hard()) return soft;
  const Tensor chosen = std::get<1>(soft.max(options.dim(), /*keepdim=*/true));
  const Tensor one_hot = zeros_like(logits).scatter_(options.dim(), chosen, 1.0);
  return one_hot - soft.detach() + soft;
}

}  // namespace functional
}  // namespace nn
}  // namespace etude
