#pragma once

#include "etude/core/error.h"
#include "etude/nn/arg.h"
#include "etude/optim/named_values.h"
#include "etude/optim/optimizer.h"

namespace etude::optim {

struct ETUDE_API SGDOptions : public OptionsWithLr<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  /// The learning rate.
  ETUDE_ARG(double, lr);
  /// The part of b that is kept from step to step; 0 for no momentum.
  ETUDE_ARG(double, momentum) = 0;
  /// The part of the gradient that b leaves out.
  ETUDE_ARG(double, dampening) = 0;
  /// The factor of the L2 penalty.
  ETUDE_ARG(double, weight_decay) = 0;
  /// Whether the momentum is Nesterov's, which allows no dampening.
  ETUDE_ARG(bool, nesterov) = false;
  ETUDE_NAMED_VALUES(lr(), momentum(), dampening(), weight_decay(), nesterov())

  void check() const {
    detail::check_not_negative("learning rate", lr());
    detail::check_not_negative("momentum value", momentum());
    detail::check_not_negative("weight_decay value", weight_decay());
    ETUDE_CHECK_VALUE(!nesterov() || (momentum() > 0 && dampening() == 0),
                      "Nesterov momentum requires a momentum and zero dampening\nreceived momentum ",
                      momentum(), ", dampening ", dampening());
  }
};

/// The state of a parameter: b, with momentum (torch::optim::SGDParamState).
struct ETUDE_API SGDParamState : public ComparableParamState<SGDParamState> {
  ETUDE_ARG(Tensor, momentum_buffer);
  ETUDE_NAMED_VALUES(momentum_buffer())
};

/// Stochastic gradient descent (Robbins and Monro, 1951), optionally with momentum (Polyak, 1964) or Nesterov
/// momentum (Sutskever et al., 2013) (torch::optim::SGD):
///
///   g = grad + weight_decay * p
///   b = momentum * b + (1 - dampening) * g, and g at the first step
///   p = p - lr * b, or lr * (g + momentum * b) with Nesterov's momentum, or lr * g without momentum
class ETUDE_API SGD : public OptimizerOf<SGDOptions, SGDParamState> {
 public:
  using OptimizerOf::OptimizerOf;
  /// What the compiler names where there is no learning rate, as in `SGD(net->parameters(), 0.1)`.
  struct LearningRateIsMissing {};
  explicit SGD(std::vector<Tensor>, LearningRateIsMissing = {}) = delete;  // SGD(net->parameters(), 0.1)
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
