#pragma once

#include <etude/framework.h>

#include <cstdint>
#include <vector>

namespace examples {

/// AdamW with betas 0.9 and 0.99 and a weight decay only for matrices, not for biases and norms.
etude::optim::AdamW make_adamw(const std::vector<etude::Tensor>& weights, double lr, double weight_decay);

/// The factor of the learning rate at a step of `steps`: it rises linearly over `warm_up` steps, then falls as a
/// cosine to `floor` (for optim::LambdaLR).
double warm_up_and_cosine(int64_t step, int64_t steps, int64_t warm_up, double floor);

}  // namespace examples
