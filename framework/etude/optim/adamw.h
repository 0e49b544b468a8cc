#pragma once

#include <tuple>

#include "etude/nn/arg.h"
#include "etude/optim/optimizer.h"

namespace etude::optim {

struct ETUDE_API AdamWOptions : public OptionsWithLr<AdamWOptions> {
  AdamWOptions(double lr = 1e-3) : lr_(lr) {}
  ETUDE_ARG(double, lr) = 1e-3;
  using betas_t = std::tuple<double, double>;
  /// How much of the averages of the gradient and of its square stays from step to step.
  ETUDE_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  /// Added to the root, against division by zero.
  ETUDE_ARG(double, eps) = 1e-8;
  /// How much of the parameter each step takes away, times lr.
  ETUDE_ARG(double, weight_decay) = 1e-2;
  /// Divides by the root of the largest v so far.
  ETUDE_ARG(bool, amsgrad) = false;

 public:
  void name_values(NamedValues& values) override;
  void check() const;
};

struct ETUDE_API AdamWParamState : public ComparableParamState<AdamWParamState> {
  ETUDE_ARG(int64_t, step) = 0;
  ETUDE_ARG(Tensor, exp_avg);
  ETUDE_ARG(Tensor, exp_avg_sq);
  ETUDE_ARG(Tensor, max_exp_avg_sq);

 public:
  void name_values(NamedValues& values) override;
};

/// Adam whose weight decay does not go through the averages of the gradient (Loshchilov and Hutter, 2019,
/// algorithm 2), with amsgrad the variant of Reddi et al., 2018 (torch::optim::AdamW). At the step t of a
/// parameter p:
///
///   p = p - lr * weight_decay * p
///   m = beta1 * m + (1 - beta1) * grad
///   v = beta2 * v + (1 - beta2) * grad^2
///   p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
class ETUDE_API AdamW : public OptimizerOf<AdamWOptions, AdamWParamState> {
 public:
  using OptimizerOf::OptimizerOf;
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
