#pragma once

#include <cstdint>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"

namespace etude {
namespace nn {
namespace functional {

struct CosineSimilarityFuncOptions {
  ETUDE_ARG(int64_t, dim) = 1;
  /// What norms are at least.
  ETUDE_ARG(double, eps) = 1e-8;
};

/// The cosine of the angle between both along a dim.
ETUDE_API Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                                   const CosineSimilarityFuncOptions& options = {});

struct PairwiseDistanceFuncOptions {
  ETUDE_ARG(double, p) = 2.0;
  /// Added to each difference.
  ETUDE_ARG(double, eps) = 1e-6;
  ETUDE_ARG(bool, keepdim) = false;
};

/// The p-norm of x1 - x2 along the last dim.
ETUDE_API Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                                   const PairwiseDistanceFuncOptions& options = {});

}  // namespace functional
}  // namespace nn
}  // namespace etude
