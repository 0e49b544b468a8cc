#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "etude/nn/any_value.h"
#include "etude/nn/module.h"

namespace etude::nn {

namespace detail {

template <typename T>
inline constexpr bool is_module = std::is_convertible_v<std::decay_t<T>*, Module*>;

/// The types of forward's parameters, from `&M::forward`. Never called.
template <typename Class, typename Result, typename... Args>
std::tuple<Args...> arguments_of(Result (Class::*)(Args...));
template <typename Class, typename Result, typename... Args>
std::tuple<Args...> arguments_of(Result (Class::*)(Args...) const);

template <typename M, typename = void>
inline constexpr bool has_forward = false;
template <typename M>
inline constexpr bool has_forward<M, std::void_t<decltype(&M::forward)>> = true;

/// A container whose forward is a template takes its arguments in a vector instead.
template <typename M, typename = void>
inline constexpr bool has_any_forward = false;
template <typename M>
inline constexpr bool has_any_forward<
    M, std::void_t<decltype(std::declval<M&>().any_forward(std::declval<std::vector<AnyValue>>()))>> = true;

/// Whether T can be in an AnyModule: it derives publicly from Module, and has a single forward() that is not a template.
template <typename T>
inline constexpr bool is_callable_module = is_module<T> && (has_forward<T> || has_any_forward<T>);

[[noreturn]] ETUDE_API void refuse_argument(size_t index, const std::type_info& expected,
                                            const std::type_info& received);

}  // namespace detail

/// Holds a module of any class and calls its forward (torch::nn::AnyModule). Arguments must have exactly the
/// types that forward declares. Copies share the module.
class ETUDE_API AnyModule {
 public:
  /// An empty AnyModule.
  AnyModule() = default;
  template <typename M, typename = std::enable_if_t<detail::is_callable_module<M>>>
  explicit AnyModule(std::shared_ptr<M> module)
      : module_(std::move(module)), type_(&typeid(M)), call_(&call<M>) {}
  template <typename M, typename = std::enable_if_t<detail::is_callable_module<std::decay_t<M>>>>
  explicit AnyModule(M&& module) : AnyModule(std::make_shared<std::decay_t<M>>(std::forward<M>(module))) {}
  template <typename M, typename = std::enable_if_t<detail::is_callable_module<M>>>
  explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
  template <typename M>
  AnyModule& operator=(std::shared_ptr<M> module) {
    return *this = AnyModule(std::move(module));
  }

  /// An AnyModule with a clone of the module.
  AnyModule clone(optional<Device> device = nullopt) const;

  /// Calls forward and returns its result, of any type.
  template <typename... Args>
  AnyValue any_forward(Args&&... args) {
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Args));
    (values.emplace_back(std::forward<Args>(args)), ...);
    return any_forward(std::move(values));
  }
  /// The same, with the arguments in a vector.
  AnyValue any_forward(std::vector<AnyValue> args);

  /// Calls forward. Throws if the result is not a `Result`.
  template <typename Result = Tensor, typename... Args>
  Result forward(Args&&... args) {
    return any_forward(std::forward<Args>(args)...).template get<Result>();
  }

  /// The module as an `M`. Throws if it is of another type.
  template <typename M, typename = std::enable_if_t<detail::is_module<M>>>
  M& get() const {
    check_not_empty("get");
    check_type(typeid(M));
    return dynamic_cast<M&>(*module_);
  }
  /// A holder of the module.
  template <typename Holder, typename Contained = typename Holder::ContainedType>
  Holder get() const {
    return Holder(ptr<Contained>());
  }
  /// A pointer to the module as an `M`. Throws if it is of another type.
  template <typename M, typename = std::enable_if_t<detail::is_module<M>>>
  std::shared_ptr<M> ptr() const {
    check_not_empty("ptr");
    check_type(typeid(M));
    return std::dynamic_pointer_cast<M>(module_);
  }
  /// The module as a pointer to the base class.
  std::shared_ptr<Module> ptr() const;
  /// The type of the module.
  const std::type_info& type_info() const;
  /// Whether it holds no module.
  bool is_empty() const noexcept { return module_ == nullptr; }

 private:
  using Values = std::vector<AnyValue>;

  AnyValue call_with_hooks(Values args);
  void check_not_empty(const char* method) const;
  void check_type(const std::type_info& asked) const;
  // Appends default arguments; throws unless there are then `expected` arguments.
  void complete(Values& args, size_t expected) const;

  template <typename M>
  static AnyValue call(const AnyModule& self, Values args) {
    M& module = dynamic_cast<M&>(*self.module_);
    if constexpr (detail::has_any_forward<M>) {
      return module.any_forward(std::move(args));
    } else {
      using Arguments = decltype(detail::arguments_of(&M::forward));
      constexpr size_t count = std::tuple_size_v<Arguments>;
      self.complete(args, count);
      return call_unpacked<Arguments>(module, args, std::make_index_sequence<count>());
    }
  }

  template <typename Arguments, typename M, size_t... I>
  static AnyValue call_unpacked(M& module, [[maybe_unused]] Values& args, std::index_sequence<I...>) {
    return AnyValue(
        detail::run_forward(module, argument<std::decay_t<std::tuple_element_t<I, Arguments>>>(args, I)...));
  }

  template <typename T>
  static T&& argument(Values& args, size_t index) {
    T* value = args[index].template try_get<T>();
    if (!value) detail::refuse_argument(index, typeid(T), args[index].type_info());
    return std::move(*value);
  }

  std::shared_ptr<Module> module_;
  const std::type_info* type_ = nullptr;
  AnyValue (*call_)(const AnyModule& self, Values args) = nullptr;
};

/// A name and a module, from which a named Sequential is built: `{{"fc", Linear(3, 4)}}`.
class NamedAnyModule {
 public:
  NamedAnyModule(std::string name, AnyModule module) : name_(std::move(name)), module_(std::move(module)) {}
  template <typename M, typename = std::enable_if_t<std::is_constructible_v<AnyModule, M>>>
  NamedAnyModule(std::string name, M&& module)
      : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}

  const std::string& name() const noexcept { return name_; }
  AnyModule& module() noexcept { return module_; }
  const AnyModule& module() const noexcept { return module_; }

 private:
  std::string name_;
  AnyModule module_;
};

}  // namespace etude::nn
