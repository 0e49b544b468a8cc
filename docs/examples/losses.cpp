#include "support/example.h"

/// # Losses
///
/// Each is the mean over all elements unless the option `reduction` is `kSum` or `kNone`. Most exist three times: as a function
/// of tensors, in `etude::nn::functional` with options, and as a module.

/// How a loss is reduced: functions of tensors such as `etude::nll_loss` take None, Mean or Sum, where options have `kNone`,
/// `kMean` or `kSum`.
///
/// - Errors: none of its own
EXAMPLE(etude::Reduction::Reduction) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({1.0, 2.0});
  print(etude::mse_loss(input, target, etude::Reduction::None));
  print(etude::mse_loss(input, target, etude::Reduction::Sum));
}

/// - Shapes: logits [n, classes, ...] or [classes], target int64 [n, ...] or [], or probabilities of the sizes of the logits,
///   weight [classes] -> [], or with kNone [n, ...] or []
/// - Units: nats
/// - Errors: `Target 3 is out of bounds.`
/// - Errors: `Expected input batch_size (2) to match target batch_size (3).`
/// - Errors: `expected target dtype to be Long or Byte, but got Float` where the target holds numbers that are no classes
/// - Errors: `label_smoothing must be between 0.0 and 1.0. Got: 2`
/// - Errors: `weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [2]`
EXAMPLE(etude::cross_entropy_loss, etude::nn::functional::cross_entropy, etude::nn::CrossEntropyLoss) {
  const Tensor logits = etude::tensor({{2.0, 0.0, 0.0}, {0.0, 0.0, 2.0}}), target = etude::tensor({0, 1});
  print(etude::cross_entropy_loss(logits, target));
  print(F::cross_entropy(logits, target, F::CrossEntropyFuncOptions().reduction(etude::kNone)));
  print(nn::CrossEntropyLoss()(logits, target));
  print(examples::message_of([&] { F::cross_entropy(logits, etude::tensor({0, 3})); }));
  print(examples::message_of([&] { F::cross_entropy(logits, etude::tensor({0, 1, 2})); }));
  print(examples::message_of([&] { F::cross_entropy(logits, etude::tensor({0.0, 1.0})); }));
}

/// - Shapes: logs [n, classes, ...] or [classes], target int64 [n, ...] or [], weight [classes] -> [], or with kNone [n, ...]
///   or []
/// - Units: nats
/// - Errors: `Target 2 is out of bounds.`
/// - Errors: `Expected input batch_size (2) to match target batch_size (3).`
/// - Errors: `expected target dtype to be Long or Byte, but got Int`
EXAMPLE(etude::nll_loss, etude::nn::functional::nll_loss, etude::nn::NLLLoss) {
  const Tensor logs = etude::log_softmax(etude::tensor({{2.0, 0.0}, {0.0, 1.0}}), 1),
               target = etude::tensor({0, 0});
  print(etude::nll_loss(logs, target));
  print(F::nll_loss(logs, target, F::NLLLossFuncOptions().reduction(etude::kSum)));
  print(nn::NLLLoss()(logs, target));
  print(examples::message_of([&] { F::nll_loss(logs, target + 2); }));
  print(examples::message_of([&] { F::nll_loss(logs, etude::tensor({0, 1, 0})); }));
  print(examples::message_of([&] { F::nll_loss(logs, target.to(etude::kInt)); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
/// - Errors: `"mse_cpu" not implemented for 'Long'` where both hold integers
EXAMPLE(etude::mse_loss, etude::nn::functional::mse_loss, etude::nn::MSELoss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({1.0, 2.0});
  print(etude::mse_loss(input, target));
  print(F::mse_loss(input, target, F::MSELossFuncOptions(etude::kNone)));
  print(nn::MSELoss()(input, target));
  print(examples::message_of([&] { etude::mse_loss(input, etude::ones({3})); }));
  print(examples::message_of([&] { etude::mse_loss(etude::tensor({1}), etude::tensor({2})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::l1_loss, etude::nn::functional::l1_loss, etude::nn::L1Loss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({1.0, 2.0});
  print(etude::l1_loss(input, target));
  print(F::l1_loss(input, target, F::L1LossFuncOptions(etude::kSum)));
  print(nn::L1Loss()(input, target));
  print(examples::message_of([&] { F::l1_loss(input, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `smooth_l1_loss does not support negative values for beta.`
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::smooth_l1_loss, etude::nn::functional::smooth_l1_loss, etude::nn::SmoothL1Loss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({0.5, 2.0});
  print(etude::smooth_l1_loss(input, target));
  print(F::smooth_l1_loss(input, target, F::SmoothL1LossFuncOptions(etude::kNone)));
  print(nn::SmoothL1Loss()(input, target));
  print(examples::message_of([&] { etude::smooth_l1_loss(input, target, etude::Reduction::Mean, -1); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `huber_loss does not support non-positive values for delta.`
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::huber_loss, etude::nn::functional::huber_loss, etude::nn::HuberLoss) {
  const Tensor input = etude::tensor({1.0, 4.0}), target = etude::tensor({0.5, 2.0});
  print(etude::huber_loss(input, target));
  print(F::huber_loss(input, target, F::HuberLossFuncOptions().delta(0.5)));
  print(nn::HuberLoss()(input, target));
  print(examples::message_of([&] { F::huber_loss(input, target, F::HuberLossFuncOptions().delta(0)); }));
}

/// - Shapes: input [...], target [...] of the same sizes, weight that broadcasts with them -> [], or with kNone [...]
/// - Units: nats
/// - Errors: `all elements of input should be between 0 and 1`
/// - Errors: `Using a target size ([3]) that is different to the input size ([2]) is deprecated. Please ensure they have the
///   same size.`
EXAMPLE(etude::binary_cross_entropy, etude::nn::functional::binary_cross_entropy, etude::nn::BCELoss) {
  const Tensor p = etude::tensor({0.9, 0.2}), target = etude::tensor({1.0, 0.0});
  print(etude::binary_cross_entropy(p, target));
  print(F::binary_cross_entropy(p, target, F::BinaryCrossEntropyFuncOptions().reduction(etude::kNone)));
  print(nn::BCELoss()(p, target));
  print(examples::message_of([&] { F::binary_cross_entropy(p + 1, target); }));
  print(examples::message_of([&] { F::binary_cross_entropy(p, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] of the same sizes, weight and pos_weight that broadcast with them -> [], or with kNone
///   [...]
/// - Units: nats
/// - Errors: `Target size ([3]) must be the same as input size ([2])` of the functional and the module
EXAMPLE(etude::binary_cross_entropy_with_logits, etude::nn::functional::binary_cross_entropy_with_logits,
        etude::nn::BCEWithLogitsLoss) {
  const Tensor logits = etude::tensor({2.0, -1.0}), target = etude::tensor({1.0, 0.0});
  print(etude::binary_cross_entropy_with_logits(logits, target));
  print(F::binary_cross_entropy_with_logits(logits, target));
  print(nn::BCEWithLogitsLoss()(logits, target));
  print(examples::message_of([&] { F::binary_cross_entropy_with_logits(logits, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Units: nats
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::kl_div, etude::nn::functional::kl_div, etude::nn::KLDivLoss) {
  const Tensor log_q = etude::tensor({0.5, 0.5}).log(), p = etude::tensor({0.9, 0.1});
  print(etude::kl_div(log_q, p));
  print(F::kl_div(log_q, p, F::KLDivFuncOptions().reduction(etude::kSum)));
  print(nn::KLDivLoss(nn::KLDivLossOptions().reduction(etude::kSum))(log_q, p));
  print(examples::message_of([&] { F::kl_div(log_q, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Units: nats
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::poisson_nll_loss, etude::nn::functional::poisson_nll_loss, etude::nn::PoissonNLLLoss) {
  const Tensor log_rate = etude::tensor({0.0, 1.0}), count = etude::tensor({1.0, 3.0});
  print(etude::poisson_nll_loss(log_rate, count, true, false, 1e-8, etude::Reduction::Mean));
  print(F::poisson_nll_loss(log_rate, count));
  print(nn::PoissonNLLLoss()(log_rate, count));
  print(examples::message_of([&] { F::poisson_nll_loss(log_rate, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::soft_margin_loss, etude::nn::functional::soft_margin_loss, etude::nn::SoftMarginLoss) {
  const Tensor score = etude::tensor({2.0, -1.0}), sign = etude::tensor({1.0, 1.0});
  print(etude::soft_margin_loss(score, sign));
  print(F::soft_margin_loss(score, sign));
  print(nn::SoftMarginLoss()(score, sign));
  print(examples::message_of([&] { F::soft_margin_loss(score, etude::ones({3})); }));
}

/// - Shapes: input [...], target [...] that broadcast -> [], or with kNone [...]
/// - Errors: `The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0` where sizes do not
///   broadcast
EXAMPLE(etude::hinge_embedding_loss, etude::nn::functional::hinge_embedding_loss,
        etude::nn::HingeEmbeddingLoss) {
  const Tensor distance = etude::tensor({0.5, 0.2}), sign = etude::tensor({1.0, -1.0});
  print(etude::hinge_embedding_loss(distance, sign));
  print(F::hinge_embedding_loss(distance, sign, F::HingeEmbeddingLossFuncOptions().margin(2)));
  print(nn::HingeEmbeddingLoss()(distance, sign));
  print(examples::message_of([&] { F::hinge_embedding_loss(distance, etude::ones({3})); }));
}

/// - Shapes: a [...], b [...], sign [...] that broadcast -> [], or with kNone [...]
/// - Errors: `margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: [2], input2: [1, 2],
///   target: [2]` of the functional and the module
EXAMPLE(etude::margin_ranking_loss, etude::nn::functional::margin_ranking_loss,
        etude::nn::MarginRankingLoss) {
  const Tensor a = etude::tensor({0.5, 0.2}), b = etude::tensor({0.1, 0.9}), sign = etude::tensor({1.0, 1.0});
  print(etude::margin_ranking_loss(a, b, sign));
  print(F::margin_ranking_loss(a, b, sign));
  print(nn::MarginRankingLoss()(a, b, sign));
  print(examples::message_of([&] { F::margin_ranking_loss(a, b.unsqueeze(0), sign); }));
}

/// - Shapes: a [n, d], b [n, d], sign [n], or [d], [d], [] -> [], or with kNone like the sign
/// - Errors: `0D or 1D target tensor expected, multi-target not supported`
/// - Errors: `1D target tensor expects 2D input tensors, but found inputs with sizes [2] and [2].`
EXAMPLE(etude::cosine_embedding_loss, etude::nn::functional::cosine_embedding_loss,
        etude::nn::CosineEmbeddingLoss) {
  const Tensor a = etude::tensor({{1.0, 0.0}}), b = etude::tensor({{1.0, 1.0}}), sign = etude::tensor({1.0});
  print(etude::cosine_embedding_loss(a, b, sign));
  print(F::cosine_embedding_loss(a, b, sign));
  print(nn::CosineEmbeddingLoss()(a, b, sign));
  print(examples::message_of([&] { F::cosine_embedding_loss(a, b, a); }));
  print(examples::message_of([&] { F::cosine_embedding_loss(a[0], b[0], sign); }));
}

/// - Shapes: anchor, positive and negative [n, d] or [d] -> [], or with kNone [n] or []
/// - Errors: `The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: ...`
EXAMPLE(etude::triplet_margin_loss, etude::nn::functional::triplet_margin_loss,
        etude::nn::TripletMarginLoss) {
  const Tensor anchor = etude::tensor({{0.0, 0.0}}), near = etude::tensor({{0.0, 1.0}}),
               far = etude::tensor({{1.5, 0.0}});
  print(etude::triplet_margin_loss(anchor, near, far));
  print(F::triplet_margin_loss(anchor, near, far));
  print(nn::TripletMarginLoss()(anchor, near, far));
  print(examples::message_of([&] { F::triplet_margin_loss(anchor, near, far[0]); }));
}

/// - Shapes: x1 [...], x2 [...] that broadcast -> [...] without the dim
/// - Errors: `expected common dtype to be floating point, yet common dtype is Long`
/// - Errors: `Dimension out of range (expected to be in range of [-1, 0], but got 1)` where vectors are given and no dim
EXAMPLE(etude::cosine_similarity, etude::nn::functional::cosine_similarity, etude::nn::CosineSimilarity) {
  const Tensor a = etude::tensor({{1.0, 0.0}}), b = etude::tensor({{1.0, 1.0}});
  print(etude::cosine_similarity(a, b));
  print(F::cosine_similarity(a, b));
  print(nn::CosineSimilarity()(a, b));
  print(examples::message_of([&] { F::cosine_similarity(a.to(etude::kLong), b.to(etude::kLong)); }));
  print(examples::message_of([&] { F::cosine_similarity(a[0], b[0]); }));
}

/// - Shapes: x1 [..., d], x2 [..., d] that broadcast -> [...], with keepdim [..., 1]
/// - Errors: `The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1` where sizes do not
///   broadcast
EXAMPLE(etude::pairwise_distance, etude::nn::functional::pairwise_distance, etude::nn::PairwiseDistance) {
  const Tensor a = etude::tensor({{0.0, 0.0}}), b = etude::tensor({{3.0, 4.0}});
  print(etude::pairwise_distance(a, b));
  print(F::pairwise_distance(a, b, F::PairwiseDistanceFuncOptions().p(1)));
  print(nn::PairwiseDistance()(a, b));
  print(examples::message_of([&] { F::pairwise_distance(a, etude::ones({1, 3})); }));
}
