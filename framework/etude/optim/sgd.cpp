#include "etude/optim/sgd.h"

#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct SGDStep {
  double lr, weight_decay;

  auto factors() const { return std::array{weight_decay, lr}; }
  template <typename T>
  void operator()(T g, T& p) const {
    p = detail::add(p, detail::penalized(g, p, weight_decay), -lr);
  }
};

// The same with a buffer: b = keep * b + add * g.
template <bool kNesterov>
struct MomentumStep {
  double lr, weight_decay, momentum, keep, add;

  auto factors() const { return std::array{weight_decay, add, kNesterov ? momentum : 0.0, lr}; }
  template <typename T>
  void operator()(T g, T& p, T& b) const {
    g = detail::penalized(g, p, weight_decay);
    b = detail::add(b * T(keep), g, add);
    if constexpr (kNesterov) p = detail::add(p, detail::add(g, b, momentum), -lr);
    else p = detail::add(p, b, -lr);
  }
};

}  // namespace

Tensor SGD::step(LossClosure closure) {
  return detail::step<SGDOptions>(
      "SGD", param_groups_, closure, [this](const Tensor& parameter, const SGDOptions& options) {
        ETUDE_CHECK(parameter.is_floating_point(),
                    "For integral input tensors, argument alpha must not be a floating point number.",
                    "\nhint: a parameter is a tensor of floats");
        if (options.momentum() == 0)
          return detail::update(parameter.grad(), SGDStep{options.lr(), options.weight_decay()}, parameter);
        auto& state = detail::state_of<SGDParamState>(state_, parameter);
        Tensor buffer = state.momentum_buffer();
        const bool first = !buffer.defined();
        const double keep = first ? 0 : options.momentum(), add = first ? 1 : 1 - options.dampening();
        detail::zeros_unless_defined(buffer, parameter);
        const auto step = [&](auto nesterov) {
          detail::update(parameter.grad(),
                         MomentumStep<nesterov.value>{options.lr(), options.weight_decay(),
                                                      options.momentum(), keep, add},
                         parameter, buffer);
        };
        if (options.nesterov()) step(std::true_type());
        else step(std::false_type());
        state.momentum_buffer(buffer);
      });
}

}  // namespace etude::optim
