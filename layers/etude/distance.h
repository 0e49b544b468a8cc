#pragma once

#include "etude/function_module.h"

namespace etude::nn {

using CosineSimilarityOptions = functional::CosineSimilarityFuncOptions;
/// The cosine of the angle between both along a dim (torch::nn::CosineSimilarity).
ETUDE_MODULE_OF_FUNCTION(CosineSimilarity, CosineSimilarityOptions,
                         (const Tensor& input1, const Tensor& input2),
                         functional::cosine_similarity(input1, input2, options));

using PairwiseDistanceOptions = functional::PairwiseDistanceFuncOptions;
/// The p-norm of input1 - input2 along the last dim (torch::nn::PairwiseDistance).
ETUDE_MODULE_OF_FUNCTION(PairwiseDistance, PairwiseDistanceOptions,
                         (const Tensor& input1, const Tensor& input2),
                         functional::pairwise_distance(input1, input2, options));

}  // namespace etude::nn
