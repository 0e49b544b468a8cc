#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>

#include "etude/autograd/grad_mode.h"
#include "etude/autograd/node.h"
#include "etude/core/ivalue.h"
#include "etude/core/tensor.h"

namespace etude::autograd {

/// From the first index up to, but not including, the second.
using IndexRange = std::pair<size_t, size_t>;

namespace detail {
struct FunctionNode;

/// The tensors that save_for_backward was given, in the same order. Its [] throws IndexError for an index out of range.
class ETUDE_API SavedVariables : public variable_list {
 public:
  Tensor& operator[](size_t index);
  const Tensor& operator[](size_t index) const;
};
}  // namespace detail

/// Carries data from the `forward` of a custom function to its `backward` (torch::autograd::AutogradContext).
class ETUDE_API AutogradContext {
 public:
  AutogradContext();
  ~AutogradContext();
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// Saved values that are not tensors.
  std::unordered_map<std::string, IValue> saved_data;

  /// Saves inputs, outputs or other tensors for backward, also undefined ones. Call it once.
  void save_for_backward(variable_list to_save);
  /// The saved tensors. Throws if one was written in place since, or if a backward has freed them.
  detail::SavedVariables get_saved_variables() const;
  /// Names the inputs that forward writes in place. forward must return them.
  void mark_dirty(const variable_list& inputs);
  /// Names the outputs that get no gradient.
  void mark_non_differentiable(const variable_list& outputs);
  /// Sets whether backward gets zeros for an output without a gradient (default: true).
  void set_materialize_grads(bool value);
  /// Whether the gradient of an argument of forward is needed. `index` counts only the tensors among the arguments.
  bool needs_input_grad(size_t index) const;
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

 private:
  friend struct detail::FunctionNode;
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

namespace detail {

using BackwardFunction = std::function<variable_list(AutogradContext*, variable_list)>;

/// One call of a custom function: takes the arguments, then adds the outputs of forward to the graph.
class ETUDE_API FunctionCall {
 public:
  FunctionCall(const char* name, BackwardFunction backward);
  ~FunctionCall();
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  void argument(const Tensor& t);
  void argument(const optional<Tensor>& t);
  void argument(const TensorList& tensors);
  template <typename T>
  void argument(const T&) {
    other_argument();
  }
  /// Call it after all arguments.
  AutogradContext* context();
  void finish(variable_list& outputs);

 private:
  void other_argument();
  struct State;
  std::unique_ptr<State> state_;
};

ETUDE_API std::string readable_name(const std::type_info& type);

}  // namespace detail

/// The node of Function<T> is named after this type.
template <class T>
struct CppNode {};

/// Base of ops that define their own gradient (torch::autograd::Function). T has two static functions:
///
///   static Tensor forward(AutogradContext* ctx, Tensor x, double slope);
///   static variable_list backward(AutogradContext* ctx, variable_list grad_outputs);
///
/// and is called as `T::apply(x, slope)`. forward takes any arguments; those of type Tensor, optional<Tensor>
/// or TensorList are differentiated. It returns a Tensor or a variable_list, and nothing inside it is
/// recorded. backward returns one gradient per argument, undefined for an argument that is not a tensor.
template <class T>
struct Function {
  template <typename X = T, typename... Args>
  static auto apply(Args&&... args)
      -> std::enable_if_t<std::is_same_v<X, T>, decltype(X::forward(nullptr, std::declval<Args>()...))> {
    static const std::string* const name = new std::string(detail::readable_name(typeid(CppNode<T>)));
    detail::FunctionCall call(name->c_str(), [](AutogradContext* ctx, variable_list dy) -> variable_list {
      return T::backward(ctx, std::move(dy));
    });
    (call.argument(args), ...);
    AutogradContext* ctx = call.context();
    const auto run = [&] {
      const NoGradGuard no_grad;
      return X::forward(ctx, std::forward<Args>(args)...);
    };
    using Result = decltype(run());
    static_assert(std::is_same_v<Result, Tensor> || std::is_same_v<Result, variable_list>,
                  "forward returns a Tensor or a variable_list");
    if constexpr (std::is_same_v<Result, Tensor>) {
      variable_list outputs{run()};
      call.finish(outputs);
      return std::move(outputs[0]);
    } else {
      variable_list outputs = run();
      call.finish(outputs);
      return outputs;
    }
  }
};

}  // namespace etude::autograd
