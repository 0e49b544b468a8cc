#include "etude/optim/sgd.h"

#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct SGDStep {
  double lr, weight_decay;
  double momentum = 0, keep = 0, add = 1;  // b = keep * b + add * g
  bool nesterov = false;

  auto factors() const { return std::array{weight_decay, add, nesterov ? momentum : 0.0, lr}; }
  template <typename T>
  void operator()(T g, T& p) const {
    p = detail::add(p, detail::penalized(g, p, weight_decay), -lr);
  }
  template <typename T>
  void operator()(T g, T& p, T& b) const {
    g = detail::penalized(g, p, weight_decay);
    b = detail::add(b * T(keep), g, add);
    p = detail::add(p, nesterov ? detail::add(g, b, momentum) : b, -lr);
  }
};

}  // namespace

Tensor SGD::step(LossClosure closure) {
  return detail::step<SGDOptions>(
      "SGD", param_groups_, closure, [this](const Tensor& parameter, const SGDOptions& options) {
        ETUDE_CHECK(parameter.is_floating_point(),
                    "For integral input tensors, argument alpha must not be a floating point number.",
                    "\nhint: a parameter is a tensor of floats");
        SGDStep step{options.lr(), options.weight_decay()};
        if (options.momentum() == 0) return detail::update(parameter.grad(), step, parameter);
        auto& state = detail::state_of<SGDParamState>(state_, parameter);
        const bool first = !state.momentum_buffer().defined();
        step.momentum = options.momentum();
        step.keep = first ? 0 : options.momentum();
        step.add = first ? 1 : 1 - options.dampening();
        step.nesterov = options.nesterov();
        Tensor buffer = state.momentum_buffer();
        detail::update(parameter.grad(), step, parameter, detail::zeros_unless_defined(buffer, parameter));
        state.momentum_buffer(buffer);
      });
}

}  // namespace etude::optim
