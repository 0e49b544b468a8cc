#pragma once

#include <array>
#include <cmath>

#include "etude/autograd/detail/in_place.h"
#include "etude/autograd/grad_mode.h"
#include "etude/core/detail/dispatch.h"
#include "etude/core/detail/parallel_for.h"
#include "etude/core/detail/vectorised.h"
#include "etude/core/error.h"
#include "etude/core/record_function.h"
#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "etude/optim/optimizer.h"

// Shared by optimizers: the loop over parameters, the state of each, and updates in one pass over memory.

namespace etude::optim::detail {

/// The result of the closure, called with gradients enabled; undefined without a closure.
inline Tensor loss_of(const Optimizer::LossClosure& closure) {
  if (!closure) return {};
  const EnableGradGuard enable_grad;
  return closure();
}

/// One step of the optimizer `name`: gets the loss from the closure, then calls update(parameter, options)
/// for every parameter that has a gradient. The updates are not recorded.
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

/// The state of the parameter, created if there is none.
template <typename ParamState>
ParamState& state_of(Optimizer::State& states, const Tensor& parameter) {
  std::unique_ptr<OptimizerParamState>& state = states[Optimizer::state_key(parameter)];
  if (!state) state = std::make_unique<ParamState>();
  auto* found = dynamic_cast<ParamState*>(state.get());
  ETUDE_CHECK_TYPE(found, "the state of a parameter is that of another optimizer");
  return *found;
}

/// Replaces an undefined t by zeros like the parameter. Returns t.
inline Tensor& zeros_unless_defined(Tensor& t, const Tensor& parameter) {
  if (!t.defined()) t = zeros(parameter.sizes(), parameter.scalar_type());
  return t;
}

/// The elements of t as a contiguous tensor of the given type: t itself, or a copy.
inline Tensor run_of(const Tensor& t, ScalarType dtype) { return t.to(dtype).contiguous(); }
/// Ends a write to run_of(t): copies a copy back to t, and counts the write.
inline void write_back(const Tensor& t, const Tensor& run) {
  if (run.is_same(t)) autograd::detail::written(t);
  else t.copy_(run);
}

/// Throws for a parameter that cannot be updated: of an integer type, or with elements that share memory.
inline void check_parameter(const Tensor& parameter) {
  ETUDE_CHECK(parameter.is_floating_point(), "result type Float can't be cast to the desired output type ",
              toString(parameter.scalar_type()), "\nhint: a parameter is a tensor of floats");
  autograd::detail::check_in_place(parameter, /*records=*/false);
}
/// The gradient with the given type and the sizes of the parameter, contiguous and not in the parameter's memory.
inline Tensor gradient_run(const Tensor& parameter, const Tensor& gradient, ScalarType dtype) {
  Tensor g = gradient;
  if (g.sizes() != parameter.sizes()) {
    broadcast_sizes(parameter.sizes(), g.sizes());
    g = g.expand_as(parameter);
  }
  g = run_of(g, dtype);
  return g.is_alias_of(parameter) ? g.clone() : g;
}
/// Throws unless the state has the sizes of its parameter.
inline void check_state(const Tensor& parameter, const Tensor& state) {
  ETUDE_CHECK(state.defined() && state.sizes() == parameter.sizes(),
              "the state of a parameter has other sizes than the parameter\nreceived ",
              state.defined() ? state.sizes() : IntArrayRef(), " for a parameter of sizes ",
              parameter.sizes());
}

/// Throws if the type of the parameter cannot hold a factor of a step.
inline void check_factor(const Tensor& parameter, double factor) {
  if (parameter.scalar_type() == kFloat) Scalar(factor).to<float>();
  if (parameter.scalar_type() == kHalf) Scalar(factor).to<Half>();
  if (parameter.scalar_type() == kBFloat16) Scalar(factor).to<BFloat16>();
}

// Arithmetic of steps. 16-bit numbers are computed in float32 and rounded as by PyTorch's ops of these names.

template <typename T>
using Computed = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// x + factor * a
template <typename T>
T add(T x, T a, double factor) {
  const auto by = static_cast<Computed<T>>(factor);
  if constexpr (std::is_floating_point_v<T>) return x + by * a;
  else return std::fma(by, static_cast<float>(a), static_cast<float>(x));
}
/// x + factor * a * b
template <typename T>
T addcmul(T x, T a, T b, double factor) {
  return x + static_cast<Computed<T>>(factor) * a * b;
}
/// x + factor * a / b
template <typename T>
T addcdiv(T x, T a, T b, double factor) {
  return x + static_cast<Computed<T>>(factor) * a / b;
}
/// The gradient g of a parameter p, with the L2 penalty if there is one.
template <typename T>
T penalized(T g, T p, double weight_decay) {
  return weight_decay != 0 ? add(g, p, weight_decay) : g;
}
/// sqrt(x) + eps
template <typename T>
T root(T x, double eps) {
  return static_cast<T>(std::sqrt(x)) + static_cast<T>(eps);
}

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

/// Updates in one pass over memory: calls f(g, p, s...) for every element g of the gradient, p of the
/// parameter and s of each state; f writes to p and s. f.factors() are the factors that f converts to the type of
/// the elements. All are computed with the widest type among the parameter and its states, so that a model which is converted to
/// 16 bits in the middle of its training keeps its averages as precise as they are.
template <typename F, typename... States>
void update(const Tensor& gradient, const F& f, const Tensor& parameter, const States&... states) {
  check_parameter(parameter);
  for (const double factor : f.factors()) check_factor(parameter, factor);
  (check_state(parameter, states), ...);
  ScalarType dtype = parameter.scalar_type();
  ((dtype = promote_types(dtype, states.scalar_type())), ...);
  const Tensor g = gradient_run(parameter, gradient, dtype);
  auto with_runs = [&](const Tensor& p, const auto&... s) {
    const auto loop = [&](auto zero) {
      using T = decltype(zero);
      for_each_element(p.numel(), f, static_cast<const T*>(g.data_ptr<T>()), p.data_ptr<T>(),
                       s.template data_ptr<T>()...);
    };
    if (isReducedFloatingType(dtype)) etude::detail::dispatch_reduced(dtype, loop);
    else etude::detail::dispatch_floating("step", dtype, loop);
    write_back(parameter, p);
    (write_back(states, s), ...);
  };
  with_runs(run_of(parameter, dtype), run_of(states, dtype)...);
}

}  // namespace etude::optim::detail
