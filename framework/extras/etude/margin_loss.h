#pragma once

#include "etude/function_module.h"

// Losses that require a distance, the margin, between good and bad. Targets are -1 or 1.

namespace etude::nn {

/// log(1 + exp(-target * input)), target -1 or 1 (torch::nn::SoftMarginLoss).
ETUDE_MODULE_OF_LOSS(SoftMarginLoss, SoftMarginLossFuncOptions, soft_margin_loss);

/// input where target is 1, max(0, margin - input) where it is -1 (torch::nn::HingeEmbeddingLoss).
ETUDE_MODULE_OF_LOSS(HingeEmbeddingLoss, HingeEmbeddingLossFuncOptions, hinge_embedding_loss);

/// max(0, -target * (input1 - input2) + margin), target -1 or 1 (torch::nn::MarginRankingLoss).
ETUDE_MODULE_OF_FUNCTIONAL(MarginRankingLoss,
                           (const Tensor& input1, const Tensor& input2, const Tensor& targets),
                           margin_ranking_loss(input1, input2, targets, options), "");

/// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1: [n, d], [n, d], [n] or [d], [d], []
/// (torch::nn::CosineEmbeddingLoss).
ETUDE_MODULE_OF_FUNCTIONAL(CosineEmbeddingLoss,
                           (const Tensor& input1, const Tensor& input2, const Tensor& target),
                           cosine_embedding_loss(input1, input2, target, options), "");

/// max(0, |anchor - positive| - |anchor - negative| + margin): [n, d] or [d] (torch::nn::TripletMarginLoss;
/// Schroff et al. 2015).
ETUDE_MODULE_OF_FUNCTIONAL(TripletMarginLoss,
                           (const Tensor& anchor, const Tensor& positive, const Tensor& negative),
                           triplet_margin_loss(anchor, positive, negative, options), "");

}  // namespace etude::nn
