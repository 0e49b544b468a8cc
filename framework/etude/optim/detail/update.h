#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

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

/// One step of the optimizer `name`: gets the loss from the closure, which records gradients, then calls update(parameter, options)
/// for every parameter that has a gradient. The updates are not recorded.
template <typename Options, typename Update>
Tensor step(const char* name, const std::vector<OptimizerParamGroup>& groups,
            const Optimizer::LossClosure& closure, const Update& update) {
  RECORD_USER_SCOPE(str("Optimizer.step#", name, ".step"));
  Tensor loss;
  if (closure) {
    const EnableGradGuard enable_grad;
    loss = closure();
  }
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

/// A 16-bit number while a step computes with it: a float32 that is rounded after each operation.
template <typename Format>
class Rounded {
 public:
  Rounded() = default;
  // Copies a float. The default would copy a struct, and GCC does not vectorise loops that copy structs.
  Rounded(const Rounded& other) : value_(other.value_) {}
  Rounded& operator=(const Rounded& other) {
    value_ = other.value_;
    return *this;
  }
  explicit Rounded(float value) : value_(Format::rounded(value)) {}
  /// A value that is a 16-bit number.
  static Rounded exact(float value) {
    Rounded r;
    r.value_ = value;
    return r;
  }
  explicit Rounded(double value) : Rounded(static_cast<float>(value)) {}
  operator float() const { return value_; }
  friend Rounded operator+(Rounded a, Rounded b) { return Rounded(a.value_ + b.value_); }
  friend Rounded operator-(Rounded a, Rounded b) { return Rounded(a.value_ - b.value_); }
  friend Rounded operator*(Rounded a, Rounded b) { return Rounded(a.value_ * b.value_); }
  friend Rounded operator/(Rounded a, Rounded b) { return Rounded(a.value_ / b.value_); }
  friend Rounded operator-(Rounded a) { return Rounded(-a.value_); }

 private:
  float value_;
};

// Arithmetic of steps. 16-bit numbers are computed in float32 and rounded as by the ops of these names.

template <typename T>
using Computed = std::conditional_t<std::is_floating_point_v<T>, T, float>;

/// x + factor * a. For 16-bit numbers it is a fused multiply-add: the product, in double, is exact.
template <typename T>
inline T add(T x, T a, double factor) {
  const auto by = static_cast<Computed<T>>(factor);
  if constexpr (std::is_floating_point_v<T>) return x + by * a;
  else return T(double{by} * float{a} + float{x});
}
/// x + factor * a * b
template <typename T>
inline T addcmul(T x, T a, T b, double factor) {
  return T(x + static_cast<Computed<T>>(factor) * a * b);
}
/// x + factor * a / b
template <typename T>
inline T addcdiv(T x, T a, T b, double factor) {
  return T(x + static_cast<Computed<T>>(factor) * a / b);
}
/// The gradient g of a parameter p, with the L2 penalty if there is one.
template <typename T>
inline T penalized(T g, T p, double weight_decay) {
  return weight_decay != 0 ? add(g, p, weight_decay) : g;
}
/// sqrt(x) + eps
template <typename T>
inline T root(T x, double eps) {
  return T(std::sqrt(x)) + T(eps);
}

/// Calls f(read[i], written[i]...) for every i below n.
template <typename F, typename T, typename... Rows>
inline void for_each_in_row(int64_t n, const F& f, const T* read, Rows*... written) {
  for (int64_t i = 0; i < n; ++i) f(read[i], written[i]...);
}

/// The same for 16-bit numbers: pieces of the rows are widened, computed with, and narrowed again.
template <typename Format, typename F, typename T, typename... Rows, size_t... kWritten>
inline void for_each_in_narrow_row(std::index_sequence<kWritten...>, int64_t n, const F& f, const T* read,
                                   Rows*... written) {
  constexpr int64_t kPiece = 256;
  Rounded<Format> wide[1 + sizeof...(Rows)][kPiece];
  for (int64_t from = 0; from < n; from += kPiece) {
    const int64_t count = std::min(kPiece, n - from);
    const auto widen = [&](Rounded<Format>* to, const T* row) {
      for (int64_t i = 0; i < count; ++i) to[i] = Rounded<Format>::exact(row[from + i]);
      return to;
    };
    const auto narrow = [&](T* row, const Rounded<Format>* result) {
      for (int64_t i = 0; i < count; ++i) row[from + i] = T(static_cast<float>(result[i]));
    };
    for_each_in_row(count, f, widen(wide[0], read), widen(wide[kWritten + 1], written)...);
    (narrow(written, wide[kWritten + 1]), ...);
  }
}

/// Calls f(read[i], written[i]...) for every i below count.
template <typename F, typename T, typename... Rows>
void for_each_element(int64_t count, const F& f, const T* read, Rows*... written) {
  using Format =
      std::conditional_t<std::is_same_v<T, Half>, etude::detail::HalfFormat, etude::detail::BFloat16Format>;
  etude::detail::parallel_for(0, count, etude::detail::kGrain, [=](int64_t begin, int64_t end) {
    etude::detail::vectorised<Computed<T>>([=] {
      const F each = f;  // a copy that no write through the rows can change
      if constexpr (std::is_floating_point_v<T>)
        for_each_in_row(end - begin, each, read + begin, written + begin...);
      else
        for_each_in_narrow_row<Format>(std::index_sequence_for<Rows...>(), end - begin, each, read + begin,
                                       written + begin...);
    });
  });
}

/// Updates in one pass over memory: calls f(g, p, s...) for every element g of the gradient, p of the
/// parameter and s of each state; f writes to p and s. f.factors() are the factors that f converts to the type of
/// the elements. Computes with the widest type of the parameter and its states: a model converted to 16 bits during training keeps
/// its averages precise.
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
