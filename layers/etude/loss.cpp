#include "etude/loss.h"

namespace etude::nn {

void BCEWithLogitsLossImpl::reset() {
  WeightedLoss::reset();
  pos_weight = register_weight("pos_weight", options.pos_weight());
}

Tensor BCEWithLogitsLossImpl::forward(const Tensor& input, const Tensor& target) {
  return functional::binary_cross_entropy_with_logits(input, target, with_buffers().pos_weight(pos_weight));
}

}  // namespace etude::nn
