#pragma once

#include <cmath>
#include <tuple>

#include "etude/optim/detail/update.h"

// Adam and AdamW differ in one place: where the weight decays.

namespace etude::optim::detail {

struct AdamDecay {
  double penalty;  // times the parameter, added to the gradient
  double keep;     // how much of the parameter stays
};

/// The step of one element: gradient g, parameter p, averages m of the gradient and v of its square, largest
/// v.
struct AdamStep {
  double beta1, beta2, step_size, root_correction, eps;
  AdamDecay decay;

  template <typename T>
  void average(T g, T p, T& m, T& v) const {
    if (decay.penalty != 0) g += T(decay.penalty) * p;
    m = m * T(beta1) + T(1 - beta1) * g;
    v = v * T(beta2) + T(1 - beta2) * g * g;
  }
  template <typename T>
  void move(T& p, T m, T v) const {
    p = p * T(decay.keep) - T(step_size) * m / (std::sqrt(v) / T(root_correction) + T(eps));
  }

  template <typename T>
  void operator()(T g, T& p, T& m, T& v) const {
    average(g, p, m, v);
    move(p, m, v);
  }
  template <typename T>
  void operator()(T g, T& p, T& m, T& v, T& largest) const {
    average(g, p, m, v);
    largest = ((v > largest) | (v != v)) ? v : largest;  // a nan stays
    move(p, m, largest);
  }
};

template <typename Options, typename ParamState>
void adam_update(const char* name, const Tensor& parameter, const Options& options, AdamDecay decay,
                 ParamState& state) {
  const auto [beta1, beta2] = options.betas();
  const Tensor &m = zeros_unless_defined(state.exp_avg(), parameter),
               &v = zeros_unless_defined(state.exp_avg_sq(), parameter);
  const auto t = static_cast<double>(state.step() + 1);
  const AdamStep step{
      beta1,         beta2, options.lr() / (1 - std::pow(beta1, t)), std::sqrt(1 - std::pow(beta2, t)),
      options.eps(), decay};
  if (options.amsgrad())
    update(name, parameter.grad(), step, parameter, m, v,
           zeros_unless_defined(state.max_exp_avg_sq(), parameter));
  else update(name, parameter.grad(), step, parameter, m, v);
  ++state.step();
}

template <typename Options>
void check_adam_options(const Options& options) {
  check_not_negative("learning rate", options.lr());
  check_not_negative("epsilon value", options.eps());
  check_beta(0, std::get<0>(options.betas()));
  check_beta(1, std::get<1>(options.betas()));
  check_not_negative("weight_decay value", options.weight_decay());
}

template <typename Options>
bool equal_adam_options(const Options& a, const Options& b) {
  return a.lr() == b.lr() && a.betas() == b.betas() && a.eps() == b.eps() &&
         a.weight_decay() == b.weight_decay() && a.amsgrad() == b.amsgrad();
}

template <typename ParamState>
bool equal_adam_states(const ParamState& a, const ParamState& b) {
  return a.step() == b.step() && equal_if_defined(a.exp_avg(), b.exp_avg()) &&
         equal_if_defined(a.exp_avg_sq(), b.exp_avg_sq()) &&
         equal_if_defined(a.max_exp_avg_sq(), b.max_exp_avg_sq());
}

}  // namespace etude::optim::detail
