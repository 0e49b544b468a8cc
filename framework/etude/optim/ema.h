#pragma once

#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/module.h"

namespace etude::optim {

/// An exponential moving average of weights, often better than the last weights (Polyak and Juditsky, 1992).
/// After each step of the optimizer, for every weight w and its average a, which starts as w:
///
///   a = a + (1 - decay) * (w - a)
///
/// Buffers of a module are averaged too; integer tensors are copied. An EMA keeps handles to the weights.
class ETUDE_API EMA {
 public:
  explicit EMA(const std::vector<Tensor>& weights, double decay = 0.999);
  /// Averages the parameters and buffers of a module.
  explicit EMA(const nn::Module& module, double decay = 0.999);

  /// Updates the averages with the current weights. Throws while the averages are applied.
  void update();
  /// Swaps the averages into the weights, for evaluation or saving.
  void apply();
  /// Swaps the weights back.
  void restore();

  double decay() const { return decay_; }
  bool is_applied() const { return applied_; }
  /// The averages, in the order of the weights: parameters, then buffers. Write to them to load saved
  /// averages. While the averages are applied, these are the weights.
  const std::vector<Tensor>& averages() const { return averages_; }

 private:
  void exchange();

  std::vector<Tensor> weights_, averages_;
  double decay_;
  bool applied_ = false;
};

}  // namespace etude::optim
