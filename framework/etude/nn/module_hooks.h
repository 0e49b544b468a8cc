#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "etude/core/tensor.h"
#include "etude/core/tensors_in.h"
#include "etude/nn/any_value.h"
#include "etude/nn/module_scope.h"

namespace etude::nn {

class Module;

namespace detail {

using autograd::variable_list;

/// A hook in its stored form. It returns nullopt, or a list that replaces the one that hooks of its kind may change.
using ModuleHook =
    std::function<optional<variable_list>(Module&, const variable_list&, const variable_list&)>;
enum class HookKind : uint8_t { kForwardPre, kForward, kFullBackward };
struct ModuleHooks;

}  // namespace detail

/// A handle by which a hook of a module is removed (torch.utils.hooks.RemovableHandle).
class ETUDE_API RemovableHandle {
 public:
  RemovableHandle(std::weak_ptr<detail::ModuleHooks> hooks, int64_t id) : hooks_(std::move(hooks)), id_(id) {}
  /// Removes the hook: later calls of the module do not call it. Removing it twice does nothing.
  void remove() const;

 private:
  std::weak_ptr<detail::ModuleHooks> hooks_;
  int64_t id_;
};

namespace detail {

/// The hooks of a module, none at first. A copy has a list of its own, with the same functions.
class ETUDE_API HookList {
 public:
  HookList() = default;
  HookList(const HookList& other);
  HookList& operator=(const HookList& other);
  explicit operator bool() const noexcept { return hooks_ != nullptr; }
  RemovableHandle add(HookKind kind, ModuleHook hook);

 private:
  friend class HookedCall;
  std::shared_ptr<ModuleHooks> hooks_;
};

/// Calls a hook that returns nothing, a Tensor (an undefined one counts as nothing), a list of them, or an optional list.
template <typename Hook, typename... Lists>
optional<variable_list> result_of_hook(Hook& hook, Module& module, const Lists&... lists) {
  using Result = decltype(hook(module, lists...));
  if constexpr (std::is_void_v<Result>) {
    hook(module, lists...);
    return nullopt;
  } else if constexpr (std::is_same_v<std::decay_t<Result>, Tensor>) {
    Tensor t = hook(module, lists...);
    return t.defined() ? optional<variable_list>({t}) : nullopt;
  } else {
    return hook(module, lists...);
  }
}

// An argument of forward as a tensor, which is undefined if the argument is no tensor.

inline const Tensor& tensor_of(const Tensor& t) { return t; }
inline Tensor tensor_of(const optional<Tensor>& t) { return t.value_or(Tensor()); }
template <typename T>
Tensor tensor_of(const T&) {
  return {};
}

[[noreturn]] ETUDE_API void refuse_tensor(const std::type_info& type);
[[noreturn]] ETUDE_API void refuse_result(const std::type_info& type);

/// The argument to pass to forward for a value: t if the value is a tensor, otherwise the value itself. Where forward may move
/// from its argument, it gets another handle, so that hooks after it still see t.
template <typename T>
decltype(auto) placed(T&& value, Tensor& t) {
  using V = std::decay_t<T>;
  if constexpr (std::is_same_v<V, Tensor>) {
    if constexpr (std::is_lvalue_reference_v<T>) return static_cast<T>(t);
    else return Tensor(t);
  } else if constexpr (std::is_same_v<V, optional<Tensor>>) {
    return t.is_same(tensor_of(value)) ? V(value) : V(t);
  } else {
    if (t.defined()) refuse_tensor(typeid(V));
    return std::forward<T>(value);
  }
}

template <typename R, typename = void>
inline constexpr bool is_tuple = false;
template <typename R>
inline constexpr bool is_tuple<R, std::void_t<decltype(std::tuple_size<R>::value)>> = true;

ETUDE_API variable_list tensors_of_any(AnyValue& result);
/// The tensors in a result that a trace shows: none if the type is not known.
etude::detail::TensorsIn tensors_in_any(AnyValue& result);
ETUDE_API void put_into_any(AnyValue& result, variable_list list);

/// The tensors in a result of forward: a Tensor, a list of them, or a tuple or pair, which may hold other values too.
template <typename R>
variable_list tensors_of(R& result) {
  if constexpr (std::is_same_v<R, Tensor>) return {result};
  else if constexpr (std::is_same_v<R, variable_list>) return result;
  else if constexpr (std::is_same_v<R, AnyValue>) return tensors_of_any(result);
  else if constexpr (is_tuple<R>)
    return std::apply([](const auto&... e) { return variable_list{tensor_of(e)...}; }, result);
  else refuse_result(typeid(R));
}

/// Puts a list of as many tensors back into a result, each at its place in tensors_of(result).
template <typename R>
void put_into(R& result, variable_list list) {
  if constexpr (std::is_same_v<R, Tensor>) result = std::move(list[0]);
  else if constexpr (std::is_same_v<R, variable_list>) result = std::move(list);
  else if constexpr (std::is_same_v<R, AnyValue>) put_into_any(result, std::move(list));
  else if constexpr (is_tuple<R>)
    std::apply(
        [t = list.data()](auto&... e) mutable { ((e = std::decay_t<decltype(e)>(placed(e, *t++))), ...); },
        result);
}

/// While it exists, it hears the calls of the modules that it wants on this thread, instead of an earlier listener. Like
/// Python's global hooks (torch.nn.modules.module.register_module_forward_hook) it comes before the hooks of each module.
class ETUDE_API CallListener {
 public:
  CallListener();
  virtual ~CallListener();
  CallListener(const CallListener&) = delete;
  CallListener& operator=(const CallListener&) = delete;

  virtual bool wants(const Module& module) const = 0;
  /// May replace the tensors that go to forward.
  virtual void before(const Module& module, variable_list& inputs) = 0;
  /// May replace the tensors that forward returned.
  virtual void after(const Module& module, const variable_list& inputs, variable_list& outputs) = 0;
  /// Called at the end of each call for which before() was called, also if an exception ends it.
  virtual void ends(const Module& module) noexcept = 0;

 private:
  CallListener* earlier_;
};
/// The listener of this thread if it wants the module, else null.
ETUDE_API CallListener* listener_of(const Module& module);

template <typename M, typename... Args>
using FastPathResult = decltype(std::declval<M&>().fast_path(std::declval<const Args&>()...));
template <typename Result, typename C, typename... Args>
C* class_of(Result (C::*)(Args...));
// One class must declare both: a class that inherits fast_path but has a forward of its own has no fast path.
template <typename Result, typename Void, typename M, typename... Args>
inline constexpr bool has_fast_path = false;
template <typename Result, typename M, typename... Args>
inline constexpr bool has_fast_path<
    Result, std::void_t<FastPathResult<M, Args...>, decltype(class_of(&M::forward))>, M, Args...> =
    std::is_same_v<FastPathResult<M, Args...>, optional<Result>>&&
        std::is_same_v<decltype(class_of(&M::forward)), decltype(class_of(&M::fast_path))>;

/// module.forward(args...), or the same result by `optional<Result> fast_path(args...)` of the module, which returns nullopt for
/// what it cannot do. forward is the definition.
template <typename M, typename... Args>
auto run_forward(M& module, Args&&... args) -> decltype(module.forward(std::forward<Args>(args)...)) {
  using Result = decltype(module.forward(std::forward<Args>(args)...));
  if constexpr (has_fast_path<Result, void, M, Args...>)
    if (optional<Result> result = module.fast_path(args...)) return *std::move(result);
  return module.forward(std::forward<Args>(args)...);
}

/// One call of a module with hooks: those before forward run in the constructor, those after it in finish().
class ETUDE_API HookedCall {
 public:
  HookedCall(Module& module, variable_list inputs_);
  ~HookedCall();
  HookedCall(const HookedCall&) = delete;
  HookedCall& operator=(const HookedCall&) = delete;

  template <typename R>
  void finish(R& result) {
    if (sees_result()) put_into(result, outputs(tensors_of(result)));
  }
  /// Whether there are hooks for what forward returns.
  bool sees_result() const;

  variable_list inputs;  // for forward

 private:
  variable_list outputs(variable_list list);
  struct State;
  std::unique_ptr<State> state_;
};

template <typename Result, typename M, size_t... I, typename... Args>
Result call_with_hooks(M& module, std::index_sequence<I...>, Args&&... args) {
  HookedCall hooked(module, variable_list{tensor_of(args)...});
  if constexpr (std::is_object_v<Result>) {
    Result result = run_forward(module, placed(std::forward<Args>(args), hooked.inputs[I])...);
    hooked.finish(result);
    return result;
  } else {
    if (hooked.sees_result()) refuse_result(typeid(Result));
    return module.forward(placed(std::forward<Args>(args), hooked.inputs[I])...);
  }
}

}  // namespace detail

/// What `holder(args...)` does, for a module itself: calls forward and the module's hooks (Python's `module(...)`).
template <typename M, typename... Args, typename = std::enable_if_t<std::is_base_of_v<Module, M>>>
decltype(auto) call(M& module, Args&&... args) {
  using Result = decltype(module.forward(std::forward<Args>(args)...));
  detail::ModuleScope scope(module);
  try {
    if (module.has_hooks() || detail::listener_of(module))
      return detail::call_with_hooks<Result>(module, std::index_sequence_for<Args...>(),
                                             std::forward<Args>(args)...);
    if constexpr (std::is_move_constructible_v<Result>) {
      Result result = detail::run_forward(module, std::forward<Args>(args)...);
      if (scope.is_heard()) scope.returns(result);
      return result;
    } else {
      return module.forward(std::forward<Args>(args)...);
    }
  } catch (Error& error) {
    scope.name_in(error);
    throw;
  }
}

}  // namespace etude::nn
