#pragma once

#include "etude/optim/adam.h"

namespace etude::optim {

using AdamWOptions = detail::AdamOptions<AdamW>;
/// The state of a parameter: the step count t, m, v and, with amsgrad, the largest v (torch::optim::AdamWParamState).
using AdamWParamState = detail::AdamParamState<AdamW>;

/// Adam with weight decay decoupled from the averages of the gradient (Loshchilov and Hutter, 2019,
/// algorithm 2), with amsgrad the variant of Reddi et al., 2018 (torch::optim::AdamW). At step t of a parameter p:
///
///   p = p - lr * weight_decay * p
///   m = beta1 * m + (1 - beta1) * grad
///   v = beta2 * v + (1 - beta2) * grad^2
///   p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
class ETUDE_API AdamW : public OptimizerOf<AdamWOptions, AdamWParamState> {
 public:
  using OptimizerOf::OptimizerOf;
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
