#pragma once

#include <array>

#include "etude/autograd/grad_mode.h"
#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/vectorised.h"
#include "etude/core/error.h"
#include "etude/core/record_function.h"
#include "etude/optim/optimizer.h"

// What optimizers share: the walk over parameters, the state of each, and one pass over memory for an update.

namespace etude::optim::detail {

/// What the closure returns, called with gradients on; undefined without a closure.
Tensor loss_of(const Optimizer::LossClosure& closure);

/// The step of the optimizer `name`: the closure's loss, then update(parameter, options) for every parameter
/// that has a gradient. Nothing of it is recorded.
template <typename Options, typename Update>
Tensor step(const char* name, const std::vector<OptimizerParamGroup>& groups,
            const Optimizer::LossClosure& closure, const Update& update) {
  RECORD_USER_SCOPE(str("Optimizer.step#", name, ".step"));
  Tensor loss = loss_of(closure);
  const NoGradGuard no_grad;
  for (const OptimizerParamGroup& group : groups) {
    const auto* options = dynamic_cast<const Options*>(&group.options());
    ETUDE_CHECK_TYPE(options, name, ": the options of a parameter group are not ", name, "Options");
    for (const Tensor& parameter : group.params())
      if (parameter.grad().defined()) update(parameter, *options);
  }
  return loss;
}

/// What is remembered of the parameter, anew if there is nothing yet.
template <typename ParamState>
ParamState& state_of(Optimizer::State& states, const Tensor& parameter) {
  std::unique_ptr<OptimizerParamState>& state = states[Optimizer::state_key(parameter)];
  if (!state) state = std::make_unique<ParamState>();
  auto* found = dynamic_cast<ParamState*>(state.get());
  ETUDE_CHECK_TYPE(found, "the state of a parameter is that of another optimizer");
  return *found;
}

/// t, or zeros like the parameter in its place if it is undefined.
Tensor& zeros_unless_defined(Tensor& t, const Tensor& parameter);

/// The elements of t in one run, with the given type: its own memory, or a copy.
Tensor run_of(const Tensor& t, ScalarType dtype);
/// Ends a write to run_of(t): a copy goes back to t, and the write is counted.
void write_back(const Tensor& t, const Tensor& run);

/// Refuses what cannot be updated: a parameter of integers, or one whose elements share memory.
void check_parameter(const Tensor& parameter);
/// The gradient with the type and the sizes of the parameter, in one run that is not the parameter's memory.
Tensor gradient_run(const Tensor& parameter, const Tensor& gradient);
/// Refuses a state whose sizes are not those of its parameter.
void check_state(const Tensor& parameter, const Tensor& state);

/// Refuses a factor of a step that the elements of the parameter cannot hold.
void check_factor(const Tensor& parameter, double factor);

/// Calls f(read[i], written[i]...) for every i below count.
template <typename F, typename T, typename... Rows>
void for_each_element(int64_t count, const F& f, const T* read, Rows*... written) {
  etude::detail::parallel_for(0, count, etude::detail::kGrain, [=](int64_t begin, int64_t end) {
    etude::detail::vectorised<T>([=] {
      const F each = f;  // a copy that no write through the rows can change
      for (int64_t i = begin; i < end; ++i) each(read[i], written[i]...);
    });
  });
}

/// One pass over memory: f(g, p, s...) for every element g of the gradient, p of the parameter and s of each
/// state, where p and s are references that f writes to. Parameters of 16 bits are updated op by op, by f(gradient,
/// parameter, states...), as every op rounds. f.factors() are the numbers by which it multiplies at the
/// type of the elements. `name` is that of the optimizer in a refusal.
template <typename F, typename... States>
void update(const char* name, const Tensor& gradient, const F& f, const Tensor& parameter,
            const States&... states) {
  check_parameter(parameter);
  for (const double factor : f.factors()) check_factor(parameter, factor);
  (check_state(parameter, states), ...);
  const ScalarType dtype = parameter.scalar_type();
  const Tensor g = gradient_run(parameter, gradient);
  if (isReducedFloatingType(dtype)) {
    f(g, parameter, states...);
    return;
  }
  auto with_runs = [&](const Tensor& p, const auto&... s) {
    etude::detail::dispatch_floating(name, dtype, [&](auto zero) {
      using T = decltype(zero);
      for_each_element(p.numel(), f, static_cast<const T*>(g.data_ptr<T>()), p.data_ptr<T>(),
                       s.template data_ptr<T>()...);
    });
    write_back(parameter, p);
    (write_back(states, s), ...);
  };
  with_runs(run_of(parameter, dtype), run_of(states, dtype)...);
}

// The ranges that constructors check.
void check_not_negative(const char* what, double value);
void check_beta(int index, double value);

}  // namespace etude::optim::detail
