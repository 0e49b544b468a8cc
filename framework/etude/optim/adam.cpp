// Adam and AdamW, which differ only in how the weights decay.

#include "etude/optim/adam.h"

#include <cmath>

#include "etude/optim/adamw.h"
#include "etude/optim/detail/update.h"

namespace etude::optim {

namespace {

struct Decay {
  double penalty;  // factor of the parameter that is added to the gradient
  double keep;     // factor of the parameter itself
};

// The step of one element: gradient g, parameter p, averages m of the gradient and v of its square, and the largest v.
struct AdamStep {
  double beta1, beta2, step_size, root_correction, eps;
  Decay decay;

  auto factors() const { return std::array{decay.penalty, step_size}; }
  template <typename T>
  void average(T g, T p, T& m, T& v) const {
    g = detail::penalized(g, p, decay.penalty);
    m = detail::add(m * T(beta1), g, 1 - beta1);
    v = detail::addcmul(v * T(beta2), g, g, 1 - beta2);
  }
  template <typename T>
  void move(T& p, T m, T v) const {
    const T root = T(std::sqrt(v)) / T(root_correction) + T(eps);
    p = detail::addcdiv(p * T(decay.keep), m, root, -step_size);
  }

  template <typename T>
  void operator()(T g, T& p, T& m, T& v) const {
    average(g, p, m, v);
    move(p, m, v);
  }
  template <typename T>
  void operator()(T g, T& p, T& m, T& v, T& largest) const {
    average(g, p, m, v);
    const bool is_larger = v > largest, is_nan = v != v;
    largest = (is_larger | is_nan) ? v : largest;
    move(p, m, largest);
  }
};

template <typename Options, typename ParamState>
void update(const Tensor& parameter, const Options& options, Decay decay, ParamState& state) {
  const auto [beta1, beta2] = options.betas();
  const Tensor &m = detail::zeros_unless_defined(state.exp_avg(), parameter),
               &v = detail::zeros_unless_defined(state.exp_avg_sq(), parameter);
  const auto t = static_cast<double>(state.step() + 1);
  const AdamStep step{
      beta1,         beta2, options.lr() / (1 - std::pow(beta1, t)), std::sqrt(1 - std::pow(beta2, t)),
      options.eps(), decay};
  if (options.amsgrad())
    detail::update(parameter.grad(), step, parameter, m, v,
                   detail::zeros_unless_defined(state.max_exp_avg_sq(), parameter));
  else detail::update(parameter.grad(), step, parameter, m, v);
  ++state.step();
}

}  // namespace

Tensor Adam::step(LossClosure closure) {
  return detail::step<AdamOptions>(
      "Adam", param_groups_, closure, [this](const Tensor& parameter, const AdamOptions& options) {
        const Decay decay{/*penalty=*/options.weight_decay(), /*keep=*/1};
        update(parameter, options, decay, detail::state_of<AdamParamState>(state_, parameter));
      });
}

Tensor AdamW::step(LossClosure closure) {
  return detail::step<AdamWOptions>(
      "AdamW", param_groups_, closure, [this](const Tensor& parameter, const AdamWOptions& options) {
        const Decay decay{/*penalty=*/0, /*keep=*/1 - options.lr() * options.weight_decay()};
        update(parameter, options, decay, detail::state_of<AdamWParamState>(state_, parameter));
      });
}

}  // namespace etude::optim
