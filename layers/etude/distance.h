#pragma once

#include "etude/function_module.h"

namespace etude::nn {

/// The cosine of the angle between input1 and input2 along a dim (torch::nn::CosineSimilarity).
ETUDE_MODULE_OF_FUNCTIONAL(CosineSimilarity, (const Tensor& input1, const Tensor& input2),
                           cosine_similarity(input1, input2, options), "");

/// The p-norm of input1 - input2 along the last dim (torch::nn::PairwiseDistance).
ETUDE_MODULE_OF_FUNCTIONAL(PairwiseDistance, (const Tensor& input1, const Tensor& input2),
                           pairwise_distance(input1, input2, options), "");

}  // namespace etude::nn
