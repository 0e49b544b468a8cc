#pragma once

#include "etude/module_list.h"

namespace etude::nn {

/// Calls modules in order, each with the result of the one before (torch::nn::Sequential). The first module may take any
/// arguments. Unnamed modules are named by position: `0`, `1`, ... In braces, `Sequential{Linear(3, 4), ReLU()}`, modules
/// are built from left to right, so that a seed gives Python's weights; in parentheses C++ leaves the order open.
class ETUDE_API SequentialImpl : public detail::ModuleContainer<SequentialImpl, std::vector<AnyModule>> {
 public:
  SequentialImpl() = default;
  /// Modules, holders of modules, or shared pointers to them.
  template <typename... Modules,
            typename = std::enable_if_t<(... && (!std::is_same_v<std::decay_t<Modules>, SequentialImpl> &&
                                                 std::is_constructible_v<AnyModule, Modules>))>>
  explicit SequentialImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }
  explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
    for (auto& item : modules) push_back(item.key(), std::move(item.value()));
  }
  explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
    for (const NamedAnyModule& named : modules) push_back(named.name(), named.module());
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    const detail::Clone clone;
    auto copy = std::make_shared<SequentialImpl>(*this);
    const std::vector<std::string> names = named_children().keys();
    for (size_t i = 0; i < size(); ++i) {
      copy->modules_[i] = modules_[i].clone(device);
      copy->replace_module(names[i], copy->modules_[i].ptr());
    }
    return copy;
  }

  /// The result of the last module. Throws if it is not a `Result`, or if there is no module.
  template <typename Result = Tensor, typename... Args>
  Result forward(Args&&... args) {
    std::vector<AnyValue> values;
    values.reserve(sizeof...(Args));
    (values.emplace_back(std::forward<Args>(args)), ...);
    AnyValue output = any_forward(std::move(values));
    Result* result = output.template try_get<Result>();
    ETUDE_CHECK(result, "The type of the return value is ", detail::type_name(output.type_info()),
                ", but you asked for type ", detail::type_name(typeid(Result)));
    return std::move(*result);
  }
  /// The same for arguments of any type in a vector.
  AnyValue any_forward(std::vector<AnyValue> args) {
    ETUDE_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
    AnyValue value = AnyModule(modules_.front()).any_forward(std::move(args));  // a hook may append modules
    for (size_t i = 1; i < size(); ++i)
      value = AnyModule(modules_[i]).any_forward(std::vector<AnyValue>{std::move(value)});
    return value;
  }

  /// Appends a module, named by its position or as given.
  template <typename M, typename = std::enable_if_t<std::is_constructible_v<AnyModule, M>>>
  void push_back(M&& module) {
    push_back(std::to_string(size()), std::forward<M>(module));
  }
  template <typename M, typename = std::enable_if_t<std::is_constructible_v<AnyModule, M>>>
  void push_back(std::string name, M&& module) {
    AnyModule element(std::forward<M>(module));
    register_module(std::move(name), element.ptr());
    modules_.push_back(std::move(element));
  }
  /// Appends every module of a container, which may be this one.
  template <typename Container>
  void extend(const Container& container) {
    const std::vector<std::decay_t<decltype(*container.begin())>> all(container.begin(), container.end());
    for (const auto& module : all) push_back(module);
  }

  bool is_empty() const noexcept { return modules_.empty(); }

  /// The module at a position, as its class M.
  template <typename M>
  M& at(size_t index) const {
    return element(index).template get<M>();
  }
  /// A pointer to the module at a position.
  template <typename M>
  std::shared_ptr<M> ptr(size_t index) const {
    return element(index).template ptr<M>();
  }
  std::shared_ptr<Module> ptr(size_t index) const { return element(index).ptr(); }
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }

 private:
  const AnyModule& element(size_t index) const {
    ETUDE_CHECK_INDEX(index < size(), "Index out of range\nSequential: index ", index, " of ", size(),
                      " modules");
    return modules_[index];
  }
};

class Sequential : public ModuleHolder<SequentialImpl> {
 public:
  using ModuleHolder<SequentialImpl>::ModuleHolder;
  using Impl = SequentialImpl;

  Sequential() = default;
  /// Named modules: `Sequential({{"fc", Linear(3, 4)}, {"act", ReLU()}})`.
  Sequential(std::initializer_list<NamedAnyModule> modules)
      : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
  template <typename T = SequentialImpl, typename First, typename... InheritNnModuleWithForward,
            std::enable_if_t<!std::is_constructible_v<T, First, InheritNnModuleWithForward...>, int> = 0>
  explicit Sequential(First&&, InheritNnModuleWithForward&&...) = delete;  // relu is Functional(relu)
};

}  // namespace etude::nn
