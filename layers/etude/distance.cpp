#include "etude/distance.h"

namespace etude {
namespace nn {

void CosineSimilarityImpl::reset() {}
Tensor CosineSimilarityImpl::forward(const Tensor& input1, const Tensor& input2) {
  return functional::cosine_similarity(input1, input2, options);
}

void PairwiseDistanceImpl::reset() {}
Tensor PairwiseDistanceImpl::forward(const Tensor& input1, const Tensor& input2) {
  return functional::pairwise_distance(input1, input2, options);
}

}  // namespace nn
}  // namespace etude
