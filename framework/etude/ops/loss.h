#pragma once

#include "etude/core/tensor.h"

// Losses and distances.

namespace etude {

namespace Reduction {
enum Reduction { None, Mean, Sum, END };
}

// loss.cpp, linear_cross_entropy.cpp, elementwise_loss.cpp

/// The negative log-probability of each target class. self holds log-probabilities [n, classes], [classes] or
/// [n, classes, ...]; target is [n], [] or [n, ...].
ETUDE_API Tensor nll_loss(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                          int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
/// The negative log-probability of each target under softmax over dim 1 (dim 0 if 1-D): nll_loss of log_softmax. target holds
/// class numbers, or probabilities with the shape of self.
ETUDE_API Tensor cross_entropy_loss(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                                    int64_t reduction = Reduction::Mean, int64_t ignore_index = -100,
                                    double label_smoothing = 0.0);
/// cross_entropy_loss of linear(input, linear_weight, linear_bias) without holding all logits at once: [..., in],
/// [classes, in], class numbers [...] and [classes] (the function of this name in PyTorch versions after 1.13).
ETUDE_API Tensor linear_cross_entropy(const Tensor& input, const Tensor& linear_weight, const Tensor& target,
                                      const Tensor& linear_bias = {}, const Tensor& weight = {},
                                      int64_t reduction = Reduction::Mean, int64_t ignore_index = -100,
                                      double label_smoothing = 0.0);
/// The squared error (self - target)^2.
ETUDE_API Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// The absolute error |self - target|.
ETUDE_API Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean);
/// d^2 / (2 beta) where d = |self - target| < beta, else d - beta / 2.
ETUDE_API Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                                double beta = 1.0);
/// d^2 / 2 where d = |self - target| <= delta, else delta (d - delta / 2).
ETUDE_API Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                            double delta = 1.0);
/// The negative log-probability of target (0 to 1) under sigmoid(self); pos_weight multiplies the term of the ones.
ETUDE_API Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                                  const Tensor& weight = {}, const Tensor& pos_weight = {},
                                                  int64_t reduction = Reduction::Mean);
/// target * (log target - self), where self holds log-probabilities; with log_target, target holds them too.
ETUDE_API Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction = Reduction::Mean,
                        bool log_target = false);
/// The negative log-probability of target (0 to 1) under the probability self; logarithms are clamped to at least -100.
ETUDE_API Tensor binary_cross_entropy(const Tensor& self, const Tensor& target, const Tensor& weight = {},
                                      int64_t reduction = Reduction::Mean);
/// log(1 + exp(-target * self)), target -1 or 1.
ETUDE_API Tensor soft_margin_loss(const Tensor& self, const Tensor& target,
                                  int64_t reduction = Reduction::Mean);

// margin_loss.cpp: losses of distances. Where a target is -1 or 1, it says which of two should be nearer or larger.

/// self where target is 1, max(0, margin - self) where it is -1.
ETUDE_API Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin = 1.0,
                                      int64_t reduction = Reduction::Mean);
/// max(0, -target * (input1 - input2) + margin), target -1 or 1.
ETUDE_API Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                     double margin = 0.0, int64_t reduction = Reduction::Mean);
/// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1: [n, d], [n, d], [n] or [d], [d], [].
ETUDE_API Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                                       double margin = 0.0, int64_t reduction = Reduction::Mean);
/// max(0, |anchor - positive| - |anchor - negative| + margin): [n, d] or [d]. With `swap` the second distance is the
/// smaller of |anchor - negative| and |positive - negative|.
ETUDE_API Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                                     double margin = 1.0, double p = 2, double eps = 1e-6, bool swap = false,
                                     int64_t reduction = Reduction::Mean);
/// exp(input) - target * input, or input - target * log(input + eps) unless log_input; `full` adds Stirling's
/// approximation of log(target!) where target > 1.
ETUDE_API Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                                  double eps, int64_t reduction);

/// x1 * x2 / (|x1| |x2|) summed along a dim, after broadcasting both; norms are clamped to at least eps.
ETUDE_API Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1, double eps = 1e-8);
/// The p-norm of x1 - x2 + eps along the last dim.
ETUDE_API Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-6,
                                   bool keepdim = false);

}  // namespace etude
