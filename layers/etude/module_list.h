#pragma once

#include "etude/framework.h"

namespace etude::nn {

namespace detail {
/// Base of modules that hold others in `Items`, a vector or an OrderedDict.
template <typename Derived, typename Items>
class ETUDE_API ModuleContainer : public Cloneable<Derived> {
 public:
  using Iterator = decltype(std::declval<Items&>().begin());
  using ConstIterator = decltype(std::declval<const Items&>().begin());

  void reset() override {}
  Iterator begin() { return modules_.begin(); }
  Iterator end() { return modules_.end(); }
  ConstIterator begin() const { return modules_.begin(); }
  ConstIterator end() const { return modules_.end(); }
  size_t size() const noexcept { return modules_.size(); }

 protected:
  Items modules_;
};
}  // namespace detail

/// A list of submodules, named by position: `0`, `1`, ... (torch::nn::ModuleList). It has no forward.
class ETUDE_API ModuleListImpl
    : public detail::ModuleContainer<ModuleListImpl, std::vector<std::shared_ptr<Module>>> {
 public:
  ModuleListImpl() = default;
  /// Modules, holders of modules, or shared pointers to them.
  template <typename... Modules,
            typename = std::enable_if_t<(... && !std::is_same_v<std::decay_t<Modules>, ModuleListImpl>)>>
  explicit ModuleListImpl(Modules&&... modules) {
    modules_.reserve(sizeof...(Modules));
    (push_back(std::forward<Modules>(modules)), ...);
  }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    const detail::Clone clone;
    auto copy = std::make_shared<ModuleListImpl>(*this);
    for (size_t i = 0; i < size(); ++i)
      copy->modules_[i] = copy->replace_module(std::to_string(i), modules_[i]->clone(device));
    return copy;
  }

  /// Accepts the same types as insert().
  template <typename M>
  void push_back(M&& module) {
    insert(size(), std::forward<M>(module));
  }
  /// Inserts a module before position `index`; the modules from there on move up.
  void insert(size_t index, std::shared_ptr<Module> module) {
    ETUDE_CHECK_INDEX(index <= size(), "Index out of range\nModuleList: insert at ", index, " of ", size(),
                      " modules");
    ETUDE_CHECK_VALUE(module, "ModuleList: the module is a null pointer");
    modules_.insert(modules_.begin() + static_cast<ConstIterator::difference_type>(index), std::move(module));
    register_module(std::to_string(size() - 1), modules_.back());
    for (size_t i = index; i + 1 < size(); ++i) replace_module(std::to_string(i), modules_[i]);
  }
  template <typename M, typename = std::enable_if_t<std::is_base_of_v<Module, std::decay_t<M>>>>
  void insert(size_t index, M&& module) {
    insert(index, std::make_shared<std::decay_t<M>>(std::forward<M>(module)));
  }
  template <typename M>
  void insert(size_t index, const ModuleHolder<M>& holder) {
    insert(index, std::shared_ptr<Module>(holder.ptr()));
  }
  /// Appends every module of a container, which may be this one.
  template <typename Container>
  void extend(const Container& container) {
    const std::vector<std::decay_t<decltype(*container.begin())>> all(container.begin(), container.end());
    for (const auto& module : all) push_back(module);
  }

  bool is_empty() const noexcept { return modules_.empty(); }
  bool folds_children() const override { return true; }

  /// The module at a position, as its class M. Throws TypeError if it has another class.
  template <typename M>
  M& at(size_t index) const {
    return *ptr<M>(index);
  }
  /// A pointer to the module at a position, as its class M.
  template <typename M>
  std::shared_ptr<M> ptr(size_t index) const {
    std::shared_ptr<M> module = std::dynamic_pointer_cast<M>(ptr(index));
    ETUDE_CHECK_TYPE(module, "Attempted to cast module of type ", ptr(index)->name(), " to type ",
                     detail::type_name(typeid(M)));
    return module;
  }
  /// The module at a position. Throws if there is none.
  std::shared_ptr<Module> ptr(size_t index) const {
    ETUDE_CHECK_INDEX(index < size(), "Index out of range\nModuleList: index ", index, " of ", size(),
                      " modules");
    return modules_[index];
  }
  std::shared_ptr<Module> operator[](size_t index) const { return ptr(index); }
};
ETUDE_MODULE(ModuleList);

}  // namespace etude::nn
