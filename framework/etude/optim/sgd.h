#pragma once

#include <memory>
#include <vector>

#include "etude/nn/arg.h"
#include "etude/optim/optimizer.h"

namespace etude {
namespace optim {

struct ETUDE_API SGDOptions : public OptimizerCloneableOptions<SGDOptions> {
  SGDOptions(double lr) : lr_(lr) {}
  ETUDE_ARG(double, lr);
  ETUDE_ARG(double, momentum) = 0;
  ETUDE_ARG(double, dampening) = 0;
  /// The factor of the L2 penalty.
  ETUDE_ARG(double, weight_decay) = 0;
  ETUDE_ARG(bool, nesterov) = false;

 public:
  double get_lr() const override { return lr(); }
  void set_lr(double lr) override { lr_ = lr; }
  void name_values(NamedValues& values) override;
  ETUDE_API friend bool operator==(const SGDOptions& a, const SGDOptions& b);
};

struct ETUDE_API SGDParamState : public OptimizerCloneableParamState<SGDParamState> {
  ETUDE_ARG(Tensor, momentum_buffer);

 public:
  void name_values(NamedValues& values) override;
  ETUDE_API friend bool operator==(const SGDParamState& a, const SGDParamState& b);
};

/// Stochastic gradient descent (Robbins and Monro, 1951), optionally with momentum (Polyak, 1964) or
/// Nesterov's (Sutskever et al., 2013) (torch::optim::SGD):
///
///   g = grad + weight_decay * p
///   b = momentum * b + (1 - dampening) * g, and g at the first step
///   p = p - lr * b, or lr * (g + momentum * b) with Nesterov's momentum, or lr * g without momentum
class ETUDE_API SGD : public Optimizer {
 public:
  explicit SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults);
  explicit SGD(std::vector<Tensor> params, SGDOptions defaults);
  SGD(SGD&&) = default;
  ~SGD() override;

  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override;
};

}  // namespace optim
}  // namespace etude
