#pragma once

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "etude/autograd/function.h"
#include "etude/autograd/grad_mode.h"
#include "etude/core/error.h"
#include "etude/nn/any_module.h"
#include "etude/nn/arg.h"
#include "etude/nn/module_hooks.h"

// Less memory for more time: activations of a part of a model are discarded, and recomputed when backward needs them.

namespace etude::nn::utils {

/// Options of checkpoint().
struct CheckpointOptions {
  /// Whether the second run draws the same random numbers as the first.
  ETUDE_ARG(bool, preserve_rng_state) = true;
};

namespace detail {

using autograd::variable_list;

/// One call of checkpoint(): saves what the second run needs, and adds the outputs of the first run to the graph.
class ETUDE_API CheckpointedCall {
 public:
  CheckpointedCall(const variable_list& inputs, std::function<variable_list(variable_list)> again,
                   const CheckpointOptions& options);
  void finish(variable_list& outputs);

 private:
  std::unique_ptr<autograd::detail::FunctionCall> call_;
};

/// A function and its arguments except tensors.
template <typename Function, typename... Args>
struct WithoutTensors {
  Function function;
  std::tuple<Args...> args;

  auto operator()(variable_list& tensors) { return call(tensors, std::index_sequence_for<Args...>()); }

 private:
  template <size_t... I>
  auto call([[maybe_unused]] variable_list& tensors, std::index_sequence<I...>) {
    return function(nn::detail::placed(std::get<I>(args), tensors[I])...);
  }
};

template <typename T>
std::decay_t<T> without_tensor(T&& value) {
  using V = std::decay_t<T>;
  if constexpr (std::is_same_v<V, Tensor> || std::is_same_v<V, optional<Tensor>>) return V();
  else return std::forward<T>(value);
}

}  // namespace detail

/// Calls function(args...) without keeping activations for backward. Backward runs the function again, with
/// the same random numbers and autocast settings (Python's torch.utils.checkpoint with use_reentrant).
///
/// `function` is a module holder or another copyable callable. Gradients flow to parameters and to arguments of
/// type Tensor or optional<Tensor>, if one of these requires grad; other arguments are copied. Returns a Tensor,
/// a tuple with tensors, or a std::vector<Tensor>. Call backward() without inputs; autograd::grad does not work.
template <typename Function, typename... Args>
auto checkpoint(const CheckpointOptions& options, Function function, Args&&... args) {
  using Run = detail::WithoutTensors<Function, std::decay_t<Args>...>;
  const std::shared_ptr<Run> run(
      new Run{std::move(function), {detail::without_tensor(std::forward<Args>(args))...}});
  detail::variable_list inputs{nn::detail::tensor_of(args)...};
  detail::CheckpointedCall call(
      inputs,
      [run](detail::variable_list tensors) {
        auto result = (*run)(tensors);
        return nn::detail::tensors_of(result);
      },
      options);
  auto result = [&] {
    const NoGradGuard no_grad;
    return (*run)(inputs);
  }();
  detail::variable_list outputs = nn::detail::tensors_of(result);
  call.finish(outputs);
  nn::detail::put_into(result, std::move(outputs));
  return result;
}
/// The same with the default options.
template <typename Function, typename... Args,
          typename = std::enable_if_t<!std::is_same_v<std::decay_t<Function>, CheckpointOptions>>>
auto checkpoint(Function&& function, Args&&... args) {
  return checkpoint(CheckpointOptions(), std::decay_t<Function>(std::forward<Function>(function)),
                    std::forward<Args>(args)...);
}

/// Runs modules one after another in `segments` equal segments, and checkpoints all but the last, which takes
/// the remainder too (torch.utils.checkpoint.checkpoint_sequential).
ETUDE_API Tensor checkpoint_sequential(std::vector<AnyModule> modules, int64_t segments, Tensor input,
                                       const CheckpointOptions& options = {});
/// The same for a Sequential.
template <typename Container>
Tensor checkpoint_sequential(const ModuleHolder<Container>& modules, int64_t segments, Tensor input,
                             const CheckpointOptions& options = {}) {
  return checkpoint_sequential(std::vector<AnyModule>(modules->begin(), modules->end()), segments,
                               std::move(input), options);
}

}  // namespace etude::nn::utils

namespace etude {
/// The namespace torch.utils of Python. An alias keeps `utils` unambiguous where both outer namespaces are used.
namespace utils = nn::utils;
}  // namespace etude
