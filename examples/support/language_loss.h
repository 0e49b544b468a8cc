#pragma once

#include <etude/etude.h>

namespace examples {

/// The mean loss of a GPT, in eval mode, over all adjacent windows of `context` ids in ids [length]. The rest at the end is
/// not used.
double mean_loss(etude::nn::GPT& model, const etude::Tensor& ids, int64_t context);

/// The mean loss, over the windows of mean_loss, of
/// P(b after a) = (count(a, b) + k) / (count(a) + k * vocabulary), with the counts of `training` ids [length]: a
/// prediction from the previous token alone. k gives unseen pairs a probability.
double bigram_loss(const etude::Tensor& training, const etude::Tensor& unseen, int64_t context,
                   int64_t vocabulary, double k = 0.1);

}  // namespace examples
