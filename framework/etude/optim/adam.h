#pragma once

#include <tuple>
#include <type_traits>

#include "etude/nn/arg.h"
#include "etude/optim/named_values.h"
#include "etude/optim/optimizer.h"

namespace etude::optim {

class ETUDE_API Adam;
class ETUDE_API AdamW;

namespace detail {
/// The options of Adam and AdamW, which differ in the meaning of weight_decay.
template <typename OfOptimizer>
struct ETUDE_API AdamOptions : public OptionsWithLr<AdamOptions<OfOptimizer>> {
  AdamOptions(double lr = 1e-3) : lr_(lr) {}
  /// The learning rate.
  ETUDE_ARG(double, lr) = 1e-3;
  using betas_t = std::tuple<double, double>;
  /// The decay rates of the averages of the gradient and of its square.
  ETUDE_ARG(betas_t, betas) = std::make_tuple(0.9, 0.999);
  /// Added to the root to avoid division by zero.
  ETUDE_ARG(double, eps) = 1e-8;
  /// Adam: the factor of the L2 penalty. AdamW: each step removes lr * weight_decay times the parameter.
  ETUDE_ARG(double, weight_decay) = std::is_same_v<OfOptimizer, AdamW> ? 1e-2 : 0;
  /// Whether to divide by the root of the largest v so far.
  ETUDE_ARG(bool, amsgrad) = false;
  ETUDE_NAMED_VALUES(lr(), betas(), eps(), weight_decay(), amsgrad())

  void check() const {
    check_not_negative("learning rate", lr());
    check_not_negative("epsilon value", eps());
    check_beta(0, std::get<0>(betas()));
    check_beta(1, std::get<1>(betas()));
    check_not_negative("weight_decay value", weight_decay());
  }
};

template <typename OfOptimizer>
struct ETUDE_API AdamParamState : public ComparableParamState<AdamParamState<OfOptimizer>> {
  ETUDE_ARG(int64_t, step) = 0;
  ETUDE_ARG(Tensor, exp_avg);
  ETUDE_ARG(Tensor, exp_avg_sq);
  ETUDE_ARG(Tensor, max_exp_avg_sq);
  ETUDE_NAMED_VALUES(step(), exp_avg(), exp_avg_sq(), max_exp_avg_sq())
};
}  // namespace detail
using AdamOptions = detail::AdamOptions<Adam>;
/// The state of a parameter: the step count t, m, v and, with amsgrad, the largest v (torch::optim::AdamParamState).
using AdamParamState = detail::AdamParamState<Adam>;

/// Adam (Kingma and Ba, 2015, algorithm 1), with amsgrad the variant of Reddi et al., 2018
/// (torch::optim::Adam). At step t of a parameter p:
///
///   g = grad + weight_decay * p
///   m = beta1 * m + (1 - beta1) * g
///   v = beta2 * v + (1 - beta2) * g^2
///   p = p - lr * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
class ETUDE_API Adam : public OptimizerOf<AdamOptions, AdamParamState> {
 public:
  using OptimizerOf::OptimizerOf;
  Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace etude::optim
