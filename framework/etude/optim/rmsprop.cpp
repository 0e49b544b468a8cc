#include "etude/optim/rmsprop.h"

#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct RMSpropStep {
  double lr, alpha, eps, weight_decay, momentum;

  auto factors() const { return std::array{weight_decay, 1 - alpha, lr}; }
  template <typename T>
  void average_square(T& v, T g) const {
    v = detail::addcmul(v * T(alpha), g, g, 1 - alpha);
  }
  // The step without momentum and with the buffer b; `root` divides the gradient.
  template <typename T>
  void move(T& p, T g, T root) const {
    p = detail::addcdiv(p, g, root, -lr);
  }
  template <typename T>
  void move(T& p, T g, T root, T& b) const {
    b = detail::addcdiv(b * T(momentum), g, root, 1);
    p = detail::add(p, b, -lr);
  }
};

struct Plain : RMSpropStep {
  template <typename T, typename... Buffer>
  void operator()(T g, T& p, T& v, Buffer&... b) const {
    g = detail::penalized(g, p, weight_decay);
    average_square(v, g);
    move(p, g, detail::root(v, eps), b...);
  }
};

struct Centered : RMSpropStep {
  template <typename T, typename... Buffer>
  void operator()(T g, T& p, T& v, T& a, Buffer&... b) const {
    g = detail::penalized(g, p, weight_decay);
    average_square(v, g);
    a = detail::add(a * T(alpha), g, 1 - alpha);
    move(p, g, detail::root(detail::addcmul(v, a, a, -1), eps), b...);
  }
};

// Passes the momentum buffer too if there is momentum.
template <typename F, typename... States>
void update(const F& step, const Tensor& parameter, RMSpropParamState& state, const States&... averages) {
  if (step.momentum > 0)
    detail::update(parameter.grad(), step, parameter, averages...,
                   detail::zeros_unless_defined(state.momentum_buffer(), parameter));
  else detail::update(parameter.grad(), step, parameter, averages...);
}

}  // namespace

Tensor RMSprop::step(LossClosure closure) {
  return detail::step<RMSpropOptions>(
      "RMSprop", param_groups_, closure, [this](const Tensor& parameter, const RMSpropOptions& options) {
        const RMSpropStep step{options.lr(), options.alpha(), options.eps(), options.weight_decay(),
                               options.momentum()};
        auto& state = detail::state_of<RMSpropParamState>(state_, parameter);
        const Tensor& v = detail::zeros_unless_defined(state.square_avg(), parameter);
        if (options.centered())
          update(Centered{step}, parameter, state, v,
                 detail::zeros_unless_defined(state.grad_avg(), parameter));
        else update(Plain{step}, parameter, state, v);
        ++state.step();
      });
}

}  // namespace etude::optim
