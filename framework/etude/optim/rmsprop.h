#pragma once

#include "etude/nn/arg.h"
#include "etude/optim/named_values.h"
#include "etude/optim/optimizer.h"

namespace etude::optim {

struct ETUDE_API RMSpropOptions : public OptionsWithLr<RMSpropOptions> {
  RMSpropOptions(double lr = 1e-2) : lr_(lr) {}
  /// The learning rate.
  ETUDE_ARG(double, lr) = 1e-2;
  /// The decay rate of the averages.
  ETUDE_ARG(double, alpha) = 0.99;
  /// Added to the root to avoid division by zero.
  ETUDE_ARG(double, eps) = 1e-8;
  /// The factor of the L2 penalty.
  ETUDE_ARG(double, weight_decay) = 0;
  /// The part of b that is kept from step to step; 0 for no momentum.
  ETUDE_ARG(double, momentum) = 0;
  /// Whether to divide by the standard deviation of the gradient instead of the root of its mean square.
  ETUDE_ARG(bool, centered) = false;
  ETUDE_NAMED_VALUES(lr(), alpha(), eps(), weight_decay(), momentum(), centered())

  void check() const {
    detail::check_not_negative("learning rate", lr());
    detail::check_not_negative("epsilon value", eps());
    detail::check_not_negative("momentum value", momentum());
    detail::check_not_negative("weight_decay value", weight_decay());
    detail::check_not_negative("alpha value", alpha());
  }
};

/// The state of a parameter: v, b with momentum, a if centered (torch::optim::RMSpropParamState).
struct ETUDE_API RMSpropParamState : public ComparableParamState<RMSpropParamState> {
  ETUDE_ARG(int64_t, step) = 0;
  ETUDE_ARG(Tensor, square_avg);
  ETUDE_ARG(Tensor, momentum_buffer);
  ETUDE_ARG(Tensor, grad_avg);
  ETUDE_NAMED_VALUES(step(), square_avg(), momentum_buffer(), grad_avg())
};

/// RMSprop (Tieleman and Hinton, 2012, lecture 6.5), centered as in Graves, 2013, section 4.2
/// (torch::optim::RMSprop). For a parameter p:
///
///   g = grad + weight_decay * p
///   v = alpha * v + (1 - alpha) * g^2
///   a = alpha * a + (1 - alpha) * g, if centered, and 0 otherwise
///   b = momentum * b + g / (sqrt(v - a^2) + eps)
///   p = p - lr * b
class ETUDE_API RMSprop : public OptimizerOf<RMSpropOptions, RMSpropParamState> {
 public:
  using OptimizerOf::OptimizerOf;
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
