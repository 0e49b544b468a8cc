#include "etude/optim/adagrad.h"

#include <utility>

#include "etude/ops/ops.h"
#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct AdagradStep {
  double lr, eps, weight_decay;

  auto factors() const { return std::array{weight_decay, lr}; }
  template <typename T>
  void operator()(T g, T& p, T& s) const {
    g = detail::penalized(g, p, weight_decay);
    s = detail::addcmul(s, g, g, 1);
    p = detail::addcdiv(p, g, detail::root(s, eps), -lr);
  }
};

AdagradParamState& state_of(Optimizer::State& states, const Tensor& parameter,
                            const OptimizerOptions& defaults) {
  auto& state = detail::state_of<AdagradParamState>(states, parameter);
  if (!state.sum().defined())
    state.sum(full(parameter.sizes(),
                   static_cast<const AdagradOptions&>(defaults).initial_accumulator_value(),
                   parameter.scalar_type()));
  return state;
}

}  // namespace

Adagrad::Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults)
    : OptimizerOf(std::move(param_groups), defaults) {
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& parameter : group.params()) state_of(state_, parameter, *defaults_);
}

Tensor Adagrad::step(LossClosure closure) {
  const auto update = [this](const Tensor& parameter, const AdagradOptions& options) {
    AdagradParamState& state = state_of(state_, parameter, defaults());
    const auto done = static_cast<double>(state.step());
    const AdagradStep step{options.lr() / (1 + done * options.lr_decay()), options.eps(),
                           options.weight_decay()};
    detail::update(parameter.grad(), step, parameter, state.sum());
    ++state.step();
  };
  return detail::step<AdagradOptions>("Adagrad", param_groups_, closure, update);
}

}  // namespace etude::optim
