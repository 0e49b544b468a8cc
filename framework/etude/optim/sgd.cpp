#include "etude/optim/sgd.h"

#include <utility>

#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/ops/ops.h"

namespace etude {
namespace optim {

namespace {

void check(const SGDOptions& options) {
  ETUDE_CHECK_VALUE(options.lr() >= 0, "Invalid learning rate: ", options.lr());
  ETUDE_CHECK_VALUE(options.momentum() >= 0, "Invalid momentum value: ", options.momentum());
  ETUDE_CHECK_VALUE(options.weight_decay() >= 0, "Invalid weight_decay value: ", options.weight_decay());
  ETUDE_CHECK_VALUE(!options.nesterov() || (options.momentum() > 0 && options.dampening() == 0),
                    "Nesterov momentum requires a momentum and zero dampening\nreceived momentum ",
                    options.momentum(), ", dampening ", options.dampening());
}

}  // namespace

bool operator==(const SGDOptions& a, const SGDOptions& b) {
  return a.lr() == b.lr() && a.momentum() == b.momentum() && a.dampening() == b.dampening() &&
         a.weight_decay() == b.weight_decay() && a.nesterov() == b.nesterov();
}

SGD::SGD(std::vector<OptimizerParamGroup> param_groups, SGDOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<SGDOptions>(defaults)) {
  check(defaults);
}

SGD::SGD(std::vector<Tensor> params, SGDOptions defaults)
    : SGD(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}

SGD::~SGD() = default;

Tensor SGD::step(LossClosure closure) {
  Tensor loss;
  if (closure) {
    EnableGradGuard enable_grad;
    loss = closure();
  }

  NoGradGuard no_grad;
  for (const OptimizerParamGroup& group : param_groups_) {
    const auto* options = dynamic_cast<const SGDOptions*>(&group.options());
    ETUDE_CHECK_TYPE(options, "SGD: the options of a parameter group are not SGDOptions");
    for (const Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      Tensor gradient = parameter.grad().detach();
      if (options->weight_decay() != 0) gradient = gradient.add(parameter, options->weight_decay());
      if (options->momentum() != 0) gradient = with_momentum(parameter, gradient, *options);
      parameter.add_(gradient, -options->lr());
    }
  }
  return loss;
}

Tensor SGD::with_momentum(const Tensor& parameter, const Tensor& gradient, const SGDOptions& options) {
  std::unique_ptr<OptimizerParamState>& state = state_[state_key(parameter)];
  if (!state) {
    auto first = std::make_unique<SGDParamState>();
    first->momentum_buffer(gradient.clone());
    state = std::move(first);
  } else {
    static_cast<SGDParamState&>(*state)
        .momentum_buffer()
        .mul_(options.momentum())
        .add_(gradient, 1 - options.dampening());
  }
  const Tensor& buffer = static_cast<SGDParamState&>(*state).momentum_buffer();
  return options.nesterov() ? gradient.add(buffer, options.momentum()) : buffer;
}

}  // namespace optim
}  // namespace etude
