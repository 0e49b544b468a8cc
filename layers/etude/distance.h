#pragma once

#include "etude/framework.h"

namespace etude {
namespace nn {

using CosineSimilarityOptions = functional::CosineSimilarityFuncOptions;

/// The cosine of the angle between both along a dim (torch::nn::CosineSimilarity).
class ETUDE_API CosineSimilarityImpl : public Cloneable<CosineSimilarityImpl> {
 public:
  explicit CosineSimilarityImpl(const CosineSimilarityOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input1, const Tensor& input2);

  CosineSimilarityOptions options;
};
ETUDE_MODULE(CosineSimilarity);

using PairwiseDistanceOptions = functional::PairwiseDistanceFuncOptions;

/// The p-norm of input1 - input2 along the last dim (torch::nn::PairwiseDistance).
class ETUDE_API PairwiseDistanceImpl : public Cloneable<PairwiseDistanceImpl> {
 public:
  explicit PairwiseDistanceImpl(const PairwiseDistanceOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input1, const Tensor& input2);

  PairwiseDistanceOptions options;
};
ETUDE_MODULE(PairwiseDistance);

}  // namespace nn
}  // namespace etude
