#include "support/language_loss.h"

#include <algorithm>

namespace examples {

using etude::Tensor;
namespace nn = etude::nn;

double mean_loss(nn::GPT& model, const Tensor& ids, int64_t context) {
  const etude::NoGradGuard no_grad;
  const bool was_training = model->is_training();
  model->eval();
  const int64_t windows = (ids.size(0) - 1) / context, at_once = 64;
  double sum = 0;
  for (int64_t first = 0; first < windows; first += at_once) {
    const int64_t start = first * context, n = std::min(at_once, windows - first) * context;
    const auto windows_from = [&](int64_t place) { return ids.narrow(0, place, n).view({-1, context}); };
    sum += model->loss(windows_from(start), windows_from(start + 1)).item<double>() * static_cast<double>(n);
  }
  model->train(was_training);
  return sum / static_cast<double>(windows * context);
}

double bigram_loss(const Tensor& training, const Tensor& unseen, int64_t context, int64_t vocabulary,
                   double k) {
  const auto pairs = [&](const Tensor& ids, int64_t n) {  // each pair as one number
    return ids.narrow(0, 0, n) * vocabulary + ids.narrow(0, 1, n);
  };
  const Tensor counted = pairs(training, training.size(0) - 1);
  const Tensor ones = etude::ones(counted.sizes(), etude::kDouble);
  const Tensor counts = etude::full({vocabulary * vocabulary}, k, etude::kDouble)
                            .index_add(0, counted, ones)
                            .view({vocabulary, vocabulary});
  const Tensor log_probabilities = (counts / counts.sum(1, true)).log().flatten();
  const int64_t targets = (unseen.size(0) - 1) / context * context;
  return -log_probabilities.index_select(0, pairs(unseen, targets)).mean().item<double>();
}

}  // namespace examples
