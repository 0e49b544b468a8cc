#include "etude/optim/rmsprop.h"

#include <cmath>

#include "etude/ops/ops.h"
#include "etude/optim/detail/update.h"
#include "etude/optim/named_values.h"

namespace etude::optim {

namespace {

struct RMSpropStep {
  double lr, alpha, eps, weight_decay, momentum;

  auto factors() const { return std::array{weight_decay, 1 - alpha, lr}; }
  template <typename T>
  T decayed(T g, T p) const {
    return weight_decay != 0 ? g + T(weight_decay) * p : g;
  }
  template <typename T>
  void average(T& mean, T x) const {
    mean = mean * T(alpha) + T(1 - alpha) * x;
  }
  template <typename T>
  void average_square(T& mean, T x) const {
    mean = mean * T(alpha) + T(1 - alpha) * x * x;
  }

  Tensor decayed(const Tensor& g, const Tensor& p) const {
    return weight_decay != 0 ? g.add(p, weight_decay) : g;
  }
  void average(const Tensor& mean, const Tensor& x) const { mean.mul_(alpha).add_(x, 1 - alpha); }
  void average_square(const Tensor& mean, const Tensor& x) const {
    mean.mul_(alpha).addcmul_(x, x, 1 - alpha);
  }
};

struct Plain : RMSpropStep {
  template <typename T>
  void operator()(T g, T& p, T& v) const {
    g = decayed(g, p);
    average_square(v, g);
    p -= T(lr) * g / (std::sqrt(v) + T(eps));
  }
  template <typename T>
  void operator()(T g, T& p, T& v, T& b) const {
    g = decayed(g, p);
    average_square(v, g);
    b = b * T(momentum) + g / (std::sqrt(v) + T(eps));
    p -= T(lr) * b;
  }

  Tensor root(const Tensor& g, const Tensor& v) const {
    average_square(v, g);
    return v.sqrt().add_(eps);
  }
  void operator()(Tensor g, const Tensor& p, const Tensor& v) const {
    g = decayed(g, p);
    p.addcdiv_(g, root(g, v), -lr);
  }
  void operator()(Tensor g, const Tensor& p, const Tensor& v, const Tensor& b) const {
    g = decayed(g, p);
    b.mul_(momentum).addcdiv_(g, root(g, v));
    p.add_(b, -lr);
  }
};

struct Centered : RMSpropStep {
  template <typename T>
  void operator()(T g, T& p, T& v, T& a) const {
    g = decayed(g, p);
    average_square(v, g);
    average(a, g);
    p -= T(lr) * g / (std::sqrt(v - a * a) + T(eps));
  }
  template <typename T>
  void operator()(T g, T& p, T& v, T& a, T& b) const {
    g = decayed(g, p);
    average_square(v, g);
    average(a, g);
    b = b * T(momentum) + g / (std::sqrt(v - a * a) + T(eps));
    p -= T(lr) * b;
  }

  Tensor root(const Tensor& g, const Tensor& v, const Tensor& a) const {
    average_square(v, g);
    average(a, g);
    return v.addcmul(a, a, -1).sqrt_().add_(eps);
  }
  void operator()(Tensor g, const Tensor& p, const Tensor& v, const Tensor& a) const {
    g = decayed(g, p);
    p.addcdiv_(g, root(g, v, a), -lr);
  }
  void operator()(Tensor g, const Tensor& p, const Tensor& v, const Tensor& a, const Tensor& b) const {
    g = decayed(g, p);
    b.mul_(momentum).addcdiv_(g, root(g, v, a));
    p.add_(b, -lr);
  }
};

// Passes the momentum buffer too if there is momentum.
template <typename F, typename... States>
void update(const F& step, const Tensor& parameter, RMSpropParamState& state, const States&... averages) {
  if (step.momentum > 0)
    detail::update("RMSprop", parameter.grad(), step, parameter, averages...,
                   detail::zeros_unless_defined(state.momentum_buffer(), parameter));
  else detail::update("RMSprop", parameter.grad(), step, parameter, averages...);
}

}  // namespace

void RMSpropOptions::check() const {
  detail::check_not_negative("learning rate", lr());
  detail::check_not_negative("epsilon value", eps());
  detail::check_not_negative("momentum value", momentum());
  detail::check_not_negative("weight_decay value", weight_decay());
  detail::check_not_negative("alpha value", alpha());
}

void RMSpropOptions::name_values(NamedValues& values) {
  values("lr", lr());
  values("alpha", alpha());
  values("eps", eps());
  values("weight_decay", weight_decay());
  values("momentum", momentum());
  values("centered", centered());
}

void RMSpropParamState::name_values(NamedValues& values) {
  values("step", step());
  values("square_avg", square_avg());
  values("momentum_buffer", momentum_buffer());
  values("grad_avg", grad_avg());
}

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
