#include "etude/nn/functional/activation.h"

#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude::nn::functional {

Tensor glu(const Tensor& input, const GLUFuncOptions& options) {
  ETUDE_CHECK(input.dim() != 0, "glu does not suppport scalars because halving size must be even");
  return etude::glu(input, options.dim());
}

Tensor gumbel_softmax(const Tensor& logits, const GumbelSoftmaxFuncOptions& options) {
  const Tensor noise = -empty_like(logits).exponential_().log();
  Tensor soft = etude::softmax((logits + noise) / options.tau(), options.dim());
  if (!options.hard()) return soft;
  const Tensor chosen = std::get<1>(soft.max(options.dim(), /*keepdim=*/true));
  const Tensor one_hot = zeros_like(logits).scatter_(options.dim(), chosen, 1.0);
  return one_hot - soft.detach() + soft;
}

}  // namespace etude::nn::functional
