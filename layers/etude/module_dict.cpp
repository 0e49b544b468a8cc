#include "etude/module_dict.h"

namespace etude::nn {

std::shared_ptr<Module> ModuleDictImpl::clone(const optional<Device>& device) const {
  const detail::Clone clone;
  auto copy = std::make_shared<ModuleDictImpl>(*this);
  for (const std::string& name : named_children().keys())
    if (!contains(name)) copy->unregister_module(name);
  for (const auto& item : modules_) copy->insert(item.key(), item.value()->clone(device));
  return copy;
}

std::shared_ptr<Module> ModuleDictImpl::pop(const std::string& key) {
  std::shared_ptr<Module> module = modules_[key];
  modules_.erase(key);
  return module;
}

void ModuleDictImpl::insert(const std::string& key, std::shared_ptr<Module> module) {
  ETUDE_CHECK_VALUE(module, "ModuleDict: the module '", key, "' is a null pointer");
  if (contains(key)) {
    modules_[key] = replace_module(key, std::move(module));
  } else {
    register_module(key, module);
    modules_.insert(key, std::move(module));
  }
}

}  // namespace etude::nn
