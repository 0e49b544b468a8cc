#include "support/example.h"

/// # Losses
///
/// Each is the mean over all elements unless the option `reduction` is `kSum` or `kNone`. Most exist three times: as a function of
/// tensors, in `etude::nn::functional` with options, and as a module.

EXAMPLE(etude::cross_entropy_loss, etude::nn::functional::cross_entropy, etude::nn::CrossEntropyLoss) {
  const Tensor logits = etude::tensor({{2.0, 0.0, 0.0}, {0.0, 0.0, 2.0}}), target = etude::tensor({0, 1});
  print(etude::cross_entropy_loss(logits, target));
  print(F::cross_entropy(logits, target, F::CrossEntropyFuncOptions().reduction(etude::kNone)));
  print(nn::CrossEntropyLoss()(logits, target));
}

EXAMPLE(etude::nll_loss, etude::nn::functional::nll_loss, etude::nn::NLLLoss) {
  const Tensor logs = etude::log_softmax(etude::tensor({{2.0, 0.0}, {0.0, 1.0}}), 1),
               target = etude::tensor({0, 0});
  print(etude::nll_loss(logs, target));
  print(F::nll_loss(logs, target, F::NLLLossFuncOptions().reduction(etude::kSum)));
  print(nn::NLLLoss()(logs, target));
}

/// (input - target)^2
EXAMPLE(etude::mse_loss, etude::nn::functional::mse_loss, etude::nn::MSELoss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({1.0, 2.0});
  print(etude::mse_loss(input, target));
  print(F::mse_loss(input, target, F::MSELossFuncOptions(etude::kNone)));
  print(nn::MSELoss()(input, target));
}

/// |input - target|
EXAMPLE(etude::l1_loss, etude::nn::functional::l1_loss, etude::nn::L1Loss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({1.0, 2.0});
  print(etude::l1_loss(input, target));
  print(F::l1_loss(input, target, F::L1LossFuncOptions(etude::kSum)));
  print(nn::L1Loss()(input, target));
}

EXAMPLE(etude::smooth_l1_loss, etude::nn::functional::smooth_l1_loss, etude::nn::SmoothL1Loss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({0.5, 2.0});
  print(etude::smooth_l1_loss(input, target));
  print(F::smooth_l1_loss(input, target, F::SmoothL1LossFuncOptions(etude::kNone)));
  print(nn::SmoothL1Loss()(input, target));
}

EXAMPLE(etude::huber_loss, etude::nn::functional::huber_loss, etude::nn::HuberLoss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({0.5, 2.0});
  print(etude::huber_loss(input, target));
  print(F::huber_loss(input, target, F::HuberLossFuncOptions().delta(0.5)));
  print(nn::HuberLoss()(input, target));
}

EXAMPLE(etude::binary_cross_entropy, etude::nn::functional::binary_cross_entropy, etude::nn::BCELoss) {
  const Tensor p = etude::tensor({0.9, 0.2}), target = etude::tensor({1.0, 0.0});
  print(etude::binary_cross_entropy(p, target));
  print(F::binary_cross_entropy(p, target, F::BinaryCrossEntropyFuncOptions().reduction(etude::kNone)));
  print(nn::BCELoss()(p, target));
}

EXAMPLE(etude::binary_cross_entropy_with_logits, etude::nn::functional::binary_cross_entropy_with_logits,
        etude::nn::BCEWithLogitsLoss) {
  const Tensor logits = etude::tensor({2.0, -1.0}), target = etude::tensor({1.0, 0.0});
  print(etude::binary_cross_entropy_with_logits(logits, target));
  print(F::binary_cross_entropy_with_logits(logits, target));
  print(nn::BCEWithLogitsLoss()(logits, target));
}

EXAMPLE(etude::kl_div, etude::nn::functional::kl_div, etude::nn::KLDivLoss) {
  const Tensor log_q = etude::tensor({0.5, 0.5}).log(), p = etude::tensor({0.9, 0.1});
  print(etude::kl_div(log_q, p));
  print(F::kl_div(log_q, p, F::KLDivFuncOptions().reduction(etude::kSum)));
  print(nn::KLDivLoss(nn::KLDivLossOptions().reduction(etude::kSum))(log_q, p));
}

EXAMPLE(etude::poisson_nll_loss, etude::nn::functional::poisson_nll_loss, etude::nn::PoissonNLLLoss) {
  const Tensor log_rate = etude::tensor({0.0, 1.0}), count = etude::tensor({1.0, 3.0});
  print(etude::poisson_nll_loss(log_rate, count, true, false, 1e-8, etude::Reduction::Mean));
  print(F::poisson_nll_loss(log_rate, count));
  print(nn::PoissonNLLLoss()(log_rate, count));
}

EXAMPLE(etude::soft_margin_loss, etude::nn::functional::soft_margin_loss, etude::nn::SoftMarginLoss) {
  const Tensor score = etude::tensor({2.0, -1.0}), sign = etude::tensor({1.0, 1.0});
  print(etude::soft_margin_loss(score, sign));
  print(F::soft_margin_loss(score, sign));
  print(nn::SoftMarginLoss()(score, sign));
}

EXAMPLE(etude::hinge_embedding_loss, etude::nn::functional::hinge_embedding_loss,
        etude::nn::HingeEmbeddingLoss) {
  const Tensor distance = etude::tensor({0.5, 0.2}), sign = etude::tensor({1.0, -1.0});
  print(etude::hinge_embedding_loss(distance, sign));
  print(F::hinge_embedding_loss(distance, sign, F::HingeEmbeddingLossFuncOptions().margin(2)));
  print(nn::HingeEmbeddingLoss()(distance, sign));
}

EXAMPLE(etude::margin_ranking_loss, etude::nn::functional::margin_ranking_loss,
        etude::nn::MarginRankingLoss) {
  const Tensor a = etude::tensor({0.5, 0.2}), b = etude::tensor({0.1, 0.9}), sign = etude::tensor({1.0, 1.0});
  print(etude::margin_ranking_loss(a, b, sign));
  print(F::margin_ranking_loss(a, b, sign));
  print(nn::MarginRankingLoss()(a, b, sign));
}

EXAMPLE(etude::cosine_embedding_loss, etude::nn::functional::cosine_embedding_loss,
        etude::nn::CosineEmbeddingLoss) {
  const Tensor a = etude::tensor({{1.0, 0.0}}), b = etude::tensor({{1.0, 1.0}}), sign = etude::tensor({1.0});
  print(etude::cosine_embedding_loss(a, b, sign));
  print(F::cosine_embedding_loss(a, b, sign));
  print(nn::CosineEmbeddingLoss()(a, b, sign));
}

EXAMPLE(etude::triplet_margin_loss, etude::nn::functional::triplet_margin_loss,
        etude::nn::TripletMarginLoss) {
  const Tensor anchor = etude::tensor({{0.0, 0.0}}), near = etude::tensor({{0.0, 1.0}}),
               far = etude::tensor({{1.5, 0.0}});
  print(etude::triplet_margin_loss(anchor, near, far));
  print(F::triplet_margin_loss(anchor, near, far));
  print(nn::TripletMarginLoss()(anchor, near, far));
}

EXAMPLE(etude::cosine_similarity, etude::nn::functional::cosine_similarity, etude::nn::CosineSimilarity) {
  const Tensor a = etude::tensor({{1.0, 0.0}}), b = etude::tensor({{1.0, 1.0}});
  print(etude::cosine_similarity(a, b));
  print(F::cosine_similarity(a, b));
  print(nn::CosineSimilarity()(a, b));
}

EXAMPLE(etude::pairwise_distance, etude::nn::functional::pairwise_distance, etude::nn::PairwiseDistance) {
  const Tensor a = etude::tensor({{0.0, 0.0}}), b = etude::tensor({{3.0, 4.0}});
  print(etude::pairwise_distance(a, b));
  print(F::pairwise_distance(a, b, F::PairwiseDistanceFuncOptions().p(1)));
  print(nn::PairwiseDistance()(a, b));
}
