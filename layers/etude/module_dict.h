#pragma once

#include "etude/module_list.h"

namespace etude::nn {

/// Submodules by name, in insertion order (torch::nn::ModuleDict). It has no forward. As in LibTorch, a
/// module that is popped or cleared stays registered.
class ETUDE_API ModuleDictImpl
    : public detail::ModuleContainer<ModuleDictImpl, OrderedDict<std::string, std::shared_ptr<Module>>> {
 public:
  using Modules = OrderedDict<std::string, std::shared_ptr<Module>>;
  using Items = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;

  ModuleDictImpl() = default;
  explicit ModuleDictImpl(const Items& modules) { update(modules); }
  explicit ModuleDictImpl(const Modules& modules) { update(modules); }

  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    const detail::Clone clone;
    auto copy = std::make_shared<ModuleDictImpl>(*this);
    for (const std::string& name : named_children().keys())
      if (!contains(name)) copy->unregister_module(name);
    for (const auto& item : modules_) copy->insert(item.key(), item.value()->clone(device));
    return copy;
  }

  /// Inserts modules by name and replaces existing ones.
  void update(const Items& modules) {
    for (const auto& [key, module] : modules) insert(key, module);
  }
  template <typename Container>
  void update(const Container& container) {
    for (const auto& item : container) insert(item.key(), item.value());
  }
  /// Removes a module and returns it. Throws if there is none of that name.
  std::shared_ptr<Module> pop(const std::string& key) {
    std::shared_ptr<Module> module = modules_[key];
    modules_.erase(key);
    return module;
  }
  /// Removes all modules.
  void clear() { modules_.clear(); }

  Items items() const { return modules_.pairs(); }
  std::vector<std::string> keys() const { return modules_.keys(); }
  std::vector<std::shared_ptr<Module>> values() const { return modules_.values(); }
  bool empty() const noexcept { return modules_.is_empty(); }
  /// Whether there is a module of this name.
  bool contains(const std::string& key) const noexcept { return modules_.contains(key); }

  /// The module of this name. Throws if there is none.
  std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
  /// The module of this name, as its class M. Throws TypeError if it has another class.
  template <typename M>
  M& at(const std::string& key) const {
    const std::shared_ptr<Module>& module = modules_[key];
    M* const as_asked = module->as<M>();
    ETUDE_CHECK_TYPE(as_asked, "Attempted to cast module of type ", module->name(), " to type ",
                     detail::type_name(typeid(M)));
    return *as_asked;
  }

 private:
  void insert(const std::string& key, std::shared_ptr<Module> module) {
    ETUDE_CHECK_VALUE(module, "ModuleDict: the module '", key, "' is a null pointer");
    if (contains(key)) {
      modules_[key] = replace_module(key, std::move(module));
    } else {
      register_module(key, module);
      modules_.insert(key, std::move(module));
    }
  }
};
ETUDE_MODULE(ModuleDict);

}  // namespace etude::nn
