#include "etude/optim/detail/update.h"

#include "etude/autograd/detail/in_place.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"

namespace etude::optim::detail {

Tensor loss_of(const Optimizer::LossClosure& closure) {
  if (!closure) return {};
  const EnableGradGuard enable_grad;
  return closure();
}

Tensor& zeros_unless_defined(Tensor& t, const Tensor& parameter) {
  if (!t.defined()) t = zeros(parameter.sizes(), parameter.scalar_type());
  return t;
}

Tensor run_of(const Tensor& t, ScalarType dtype) { return t.to(dtype).contiguous(); }

void write_back(const Tensor& t, const Tensor& run) {
  if (run.is_same(t)) autograd::detail::written(t);
  else t.copy_(run);
}

void check_parameter(const Tensor& parameter) {
  ETUDE_CHECK(parameter.is_floating_point(), "result type Float can't be cast to the desired output type ",
              toString(parameter.scalar_type()), "\nhint: a parameter is a tensor of floats");
  autograd::detail::check_in_place(parameter, /*records=*/false);
}

Tensor gradient_run(const Tensor& parameter, const Tensor& gradient) {
  Tensor g = gradient;
  if (g.sizes() != parameter.sizes()) {
    broadcast_sizes(parameter.sizes(), g.sizes());
    g = g.expand_as(parameter);
  }
  g = run_of(g, parameter.scalar_type());
  return g.is_alias_of(parameter) ? g.clone() : g;
}

void check_state(const Tensor& parameter, const Tensor& state) {
  ETUDE_CHECK(state.defined() && state.sizes() == parameter.sizes(),
              "the state of a parameter has other sizes than the parameter\nreceived ",
              state.defined() ? state.sizes() : IntArrayRef(), " for a parameter of sizes ",
              parameter.sizes());
}

void check_factor(const Tensor& parameter, double factor) {
  if (parameter.scalar_type() == kFloat) Scalar(factor).to<float>();
  if (parameter.scalar_type() == kHalf) Scalar(factor).to<Half>();
  if (parameter.scalar_type() == kBFloat16) Scalar(factor).to<BFloat16>();
}

}  // namespace etude::optim::detail
