#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/autograd/node.h"
#include "etude/core/ivalue.h"
#include "etude/core/tensor.h"

namespace etude::autograd {

/// From the first index up to, and without, the second.
using IndexRange = std::pair<size_t, size_t>;

namespace detail {
struct FunctionNode;

/// The tensors that save_for_backward was given, in its order: a list whose [] throws at an index that none of them has.
class ETUDE_API SavedVariables : public variable_list {
 public:
  Tensor& operator[](size_t index);
  const Tensor& operator[](size_t index) const;
};
}  // namespace detail

/// What `forward` of a custom function keeps for its `backward` (torch::autograd::AutogradContext).
class ETUDE_API AutogradContext {
 public:
  AutogradContext();
  ~AutogradContext();
  AutogradContext(const AutogradContext&) = delete;
  AutogradContext& operator=(const AutogradContext&) = delete;

  /// What is no tensor.
  std::unordered_map<std::string, IValue> saved_data;

  /// Keeps inputs, outputs or other tensors for backward; undefined ones too. To be called once.
  void save_for_backward(variable_list to_save);
  /// The saved tensors. Throws if one was written in place since, or if a backward has freed them.
  detail::SavedVariables get_saved_variables() const;
  /// Names the inputs that forward writes in place. It must return them.
  void mark_dirty(const variable_list& inputs);
  /// Names the outputs that get no gradient.
  void mark_non_differentiable(const variable_list& outputs);
  /// Whether backward gets zeros for an output without a gradient, as it does unless this is set to false.
  void set_materialize_grads(bool value);
  /// Whether the gradient of a tensor among the arguments of forward is wanted; only tensors are counted.
  bool needs_input_grad(size_t index) const;
  bool needs_input_grad(std::initializer_list<IndexRange> ranges) const;

 private:
  friend struct detail::FunctionNode;
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

namespace detail {

using BackwardFunction = std::function<variable_list(AutogradContext*, variable_list)>;

/// One call of a custom function: takes the arguments, then makes what forward returned part of the graph.
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
  /// To be asked for after the arguments.
  AutogradContext* context();
  void finish(variable_list& outputs);

 private:
  void other_argument();
  struct State;
  std::unique_ptr<State> state_;
};

ETUDE_API std::string readable_name(const std::type_info& type);

}  // namespace detail

/// The name of the node of Function<T> is that of this type.
template <class T>
struct CppNode {};

/// Base of ops that bring their own gradient (torch::autograd::Function). T has two static functions:
///
///   static Tensor forward(AutogradContext* ctx, Tensor x, double slope);
///   static variable_list backward(AutogradContext* ctx, variable_list grad_outputs);
///
/// and is called as `T::apply(x, slope)`. forward takes any arguments; those that are a Tensor, an
/// optional<Tensor> or a TensorList are differentiated. It returns a Tensor or a variable_list, and nothing
/// inside it is recorded. backward returns one gradient per argument, undefined for one that is no tensor.
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
