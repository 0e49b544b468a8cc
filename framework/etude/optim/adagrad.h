#pragma once

#include <memory>
#include <vector>

#include "etude/nn/arg.h"
#include "etude/optim/optimizer.h"

namespace etude {
namespace optim {

struct ETUDE_API AdagradOptions : public OptimizerCloneableOptions<AdagradOptions> {
  AdagradOptions(double lr = 1e-2) : lr_(lr) {}
  ETUDE_ARG(double, lr) = 1e-2;
  ETUDE_ARG(double, lr_decay) = 0;
  /// The factor of the L2 penalty.
  ETUDE_ARG(double, weight_decay) = 0;
  /// What the sum of squares starts with.
  ETUDE_ARG(double, initial_accumulator_value) = 0;
  /// Added to the root, against division by zero.
  ETUDE_ARG(double, eps) = 1e-10;

 public:
  double get_lr() const override { return lr(); }
  void set_lr(double lr) override { lr_ = lr; }
  void name_values(NamedValues& values) override;
  ETUDE_API friend bool operator==(const AdagradOptions& a, const AdagradOptions& b);
};

struct ETUDE_API AdagradParamState : public OptimizerCloneableParamState<AdagradParamState> {
  ETUDE_ARG(Tensor, sum);
  ETUDE_ARG(int64_t, step) = 0;

 public:
  void name_values(NamedValues& values) override;
  ETUDE_API friend bool operator==(const AdagradParamState& a, const AdagradParamState& b);
};

/// Adagrad (Duchi et al., 2011, figure 1) (torch::optim::Adagrad). At the step t of a parameter p:
///
///   g = grad + weight_decay * p
///   s = s + g^2
///   p = p - lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps)
///
/// State exists from the start for the parameters that are given here, and from the first step for those of
/// groups that are added later.
class ETUDE_API Adagrad : public Optimizer {
 public:
  explicit Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults = {});
  explicit Adagrad(std::vector<Tensor> params, AdagradOptions defaults = {});
  Adagrad(Adagrad&&) = default;
  ~Adagrad() override;

  Tensor step(LossClosure closure = nullptr) override;

 protected:
  std::unique_ptr<OptimizerParamState> make_state() const override;
};

}  // namespace optim
}  // namespace etude
