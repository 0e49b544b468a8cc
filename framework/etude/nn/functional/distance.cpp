#include "etude/nn/functional/distance.h"

#include "etude/ops/ops.h"

namespace etude {
namespace nn {
namespace functional {

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, const CosineSimilarityFuncOptions& options) {
  return etude::cosine_similarity(x1, x2, options.dim(), options.eps());
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, const PairwiseDistanceFuncOptions& options) {
  return etude::pairwise_distance(x1, x2, options.p(), options.eps(), options.keepdim());
}

}  // namespace functional
}  // namespace nn
}  // namespace etude
