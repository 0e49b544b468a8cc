#pragma once

#include <cstdint>

#include "etude/core/tensor.h"
#include "etude/nn/arg.h"
#include "etude/ops/ops.h"

namespace etude::nn::functional {

struct CosineSimilarityFuncOptions {
  /// The dim of the vectors.
  ETUDE_ARG(int64_t, dim) = 1;
  /// The lower bound of the norms.
  ETUDE_ARG(double, eps) = 1e-8;
};

/// The cosine of the angle between x1 and x2 along a dim.
inline Tensor cosine_similarity(const Tensor& x1, const Tensor& x2,
                                const CosineSimilarityFuncOptions& options = {}) {
  return etude::cosine_similarity(x1, x2, options.dim(), options.eps());
}

struct PairwiseDistanceFuncOptions {
  /// The p of the norm.
  ETUDE_ARG(double, p) = 2.0;
  /// Added to each difference.
  ETUDE_ARG(double, eps) = 1e-6;
  /// Whether the last dim stays, with size 1.
  ETUDE_ARG(bool, keepdim) = false;
};

/// The p-norm of x1 - x2 along the last dim.
inline Tensor pairwise_distance(const Tensor& x1, const Tensor& x2,
                                const PairwiseDistanceFuncOptions& options = {}) {
  return etude::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}

}  // namespace etude::nn::functional
