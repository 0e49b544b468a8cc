#pragma once

#include "etude/framework.h"

// Losses that ask for a distance between good and bad, the margin. Targets are -1 or 1.

namespace etude {
namespace nn {

using SoftMarginLossOptions = functional::SoftMarginLossFuncOptions;

/// log(1 + exp(-target * input)) (torch::nn::SoftMarginLoss).
class ETUDE_API SoftMarginLossImpl : public Cloneable<SoftMarginLossImpl> {
 public:
  explicit SoftMarginLossImpl(const SoftMarginLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  SoftMarginLossOptions options;
};
ETUDE_MODULE(SoftMarginLoss);

using HingeEmbeddingLossOptions = functional::HingeEmbeddingLossFuncOptions;

/// input where target is 1, max(0, margin - input) where it is -1 (torch::nn::HingeEmbeddingLoss).
class ETUDE_API HingeEmbeddingLossImpl : public Cloneable<HingeEmbeddingLossImpl> {
 public:
  explicit HingeEmbeddingLossImpl(const HingeEmbeddingLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input, const Tensor& target);

  HingeEmbeddingLossOptions options;
};
ETUDE_MODULE(HingeEmbeddingLoss);

using MarginRankingLossOptions = functional::MarginRankingLossFuncOptions;

/// max(0, -target * (input1 - input2) + margin) (torch::nn::MarginRankingLoss).
class ETUDE_API MarginRankingLossImpl : public Cloneable<MarginRankingLossImpl> {
 public:
  explicit MarginRankingLossImpl(const MarginRankingLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& targets);

  MarginRankingLossOptions options;
};
ETUDE_MODULE(MarginRankingLoss);

using CosineEmbeddingLossOptions = functional::CosineEmbeddingLossFuncOptions;

/// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1: [n, d], [n, d], [n] or [d], [d], []
/// (torch::nn::CosineEmbeddingLoss).
class ETUDE_API CosineEmbeddingLossImpl : public Cloneable<CosineEmbeddingLossImpl> {
 public:
  explicit CosineEmbeddingLossImpl(const CosineEmbeddingLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& input1, const Tensor& input2, const Tensor& target);

  CosineEmbeddingLossOptions options;
};
ETUDE_MODULE(CosineEmbeddingLoss);

using TripletMarginLossOptions = functional::TripletMarginLossFuncOptions;

/// max(0, |anchor - positive| - |anchor - negative| + margin): [n, d] or [d] (torch::nn::TripletMarginLoss;
/// Schroff et al. 2015).
class ETUDE_API TripletMarginLossImpl : public Cloneable<TripletMarginLossImpl> {
 public:
  explicit TripletMarginLossImpl(const TripletMarginLossOptions& options_ = {}) : options(options_) {}
  void reset() override;
  Tensor forward(const Tensor& anchor, const Tensor& positive, const Tensor& negative);

  TripletMarginLossOptions options;
};
ETUDE_MODULE(TripletMarginLoss);

}  // namespace nn
}  // namespace etude
