#pragma once

#include <vector>

#include "etude/nn/arg.h"
#include "etude/optim/named_values.h"
#include "etude/optim/optimizer.h"

namespace etude::optim {

struct ETUDE_API AdagradOptions : public OptionsWithLr<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}
  /// The learning rate.
  ETUDE_ARG(double, lr) = 1e-2;
  /// Step t divides the learning rate by 1 + (t - 1) * lr_decay.
  ETUDE_ARG(double, lr_decay) = 0;
  /// The factor of the L2 penalty.
  ETUDE_ARG(double, weight_decay) = 0;
  /// The initial value of the sum of squares.
  ETUDE_ARG(double, initial_accumulator_value) = 0;
  /// Added to the root to avoid division by zero.
  ETUDE_ARG(double, eps) = 1e-10;
  ETUDE_NAMED_VALUES(lr(), lr_decay(), weight_decay(), initial_accumulator_value(), eps())

  void check() const {
    detail::check_not_negative("learning rate", lr());
    detail::check_not_negative("lr_decay value", lr_decay());
    detail::check_not_negative("weight_decay value", weight_decay());
    detail::check_not_negative("initial_accumulator_value value", initial_accumulator_value());
    detail::check_not_negative("epsilon value", eps());
  }
};

/// The state of a parameter: the sum of squares s and the step count t (torch::optim::AdagradParamState).
struct ETUDE_API AdagradParamState : public ComparableParamState<AdagradParamState> {
  ETUDE_ARG(Tensor, sum);
  ETUDE_ARG(int64_t, step) = 0;
  ETUDE_NAMED_VALUES(step(), sum())
};

/// Adagrad (Duchi et al., 2011, figure 1) (torch::optim::Adagrad). At step t of a parameter p:
///
///   g = grad + weight_decay * p
///   s = s + g^2
///   p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
///
/// Parameters given to the constructor have state from the start, those of groups added later from their first step.
class ETUDE_API Adagrad : public OptimizerOf<AdagradOptions, AdagradParamState> {
 public:
  explicit Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults = {});
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {})
      : Adagrad(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
