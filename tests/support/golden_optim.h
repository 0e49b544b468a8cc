#pragma once

#include "support/golden_ops.h"

namespace etude {

/// The parameter p0 after each step of the optimizer `cls` with the options `kw`. The gradients are the rows
/// of grads.
Tensor golden_optimizer(const GoldenCall& call);

/// The learning rates over `steps` epochs of the schedule `cls` with the arguments `kw` and the initial rate
/// `lr`.
Tensor golden_schedule(const GoldenCall& call);

}  // namespace etude
