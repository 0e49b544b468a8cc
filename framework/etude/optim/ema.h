#pragma once

#include <vector>

#include "etude/core/tensor.h"
#include "etude/nn/module.h"

namespace etude::optim {

/// An exponential moving average of weights, with which a model is often better than with the last weights
/// (Polyak and Juditsky, 1992). After each step of the optimizer, for every weight w and its average a, which
/// starts as w:
///
///   a = a + (1 - decay) * (w - a)
///
/// Buffers of a module are averaged too; tensors of integers are copied. It keeps handles to the weights.
class ETUDE_API EMA {
 public:
  explicit EMA(const std::vector<Tensor>& weights, double decay = 0.999);
  /// Of the parameters and buffers of a module.
  explicit EMA(const nn::Module& module, double decay = 0.999);

  /// Takes the weights into the averages; refused while the averages are applied.
  void update();
  /// Puts the averages in place of the weights, for evaluation or saving.
  void apply();
  /// Puts the weights back.
  void restore();

  double decay() const { return decay_; }
  bool is_applied() const { return applied_; }
  /// The averages, in the order of the weights: parameters, then buffers. Write to them to load saved ones.
  /// While they are applied, these are the weights.
  const std::vector<Tensor>& averages() const { return averages_; }

 private:
  void exchange();

  std::vector<Tensor> weights_, averages_;
  double decay_;
  bool applied_ = false;
};

}  // namespace etude::optim
