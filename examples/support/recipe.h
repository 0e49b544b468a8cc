#pragma once

#include <etude/framework.h>

#include <cstdint>
#include <vector>

namespace examples {

/// AdamW with betas 0.9 and 0.99 and a weight decay that is for matrices alone, not for biases and norms.
etude::optim::AdamW make_adamw(const std::vector<etude::Tensor>& weights, double lr, double weight_decay);

/// The part of the learning rate at a step of `steps`: it rises over `warm_up` steps in a straight line, and then
/// falls in a cosine to `floor` (for optim::LambdaLR).
double warm_up_and_cosine(int64_t step, int64_t steps, int64_t warm_up, double floor);

}  // namespace examples
