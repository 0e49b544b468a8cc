#include "etude/module_list.h"

namespace etude::nn {

std::shared_ptr<Module> ModuleListImpl::clone(const optional<Device>& device) const {
  const detail::Clone clone;
  auto copy = std::make_shared<ModuleListImpl>(*this);
  for (size_t i = 0; i < size(); ++i)
    copy->modules_[i] = copy->replace_module(std::to_string(i), modules_[i]->clone(device));
  return copy;
}

void ModuleListImpl::insert(size_t index, std::shared_ptr<Module> module) {
  ETUDE_CHECK_INDEX(index <= size(), "Index out of range\nModuleList: insert at ", index, " of ", size(),
                    " modules");
  ETUDE_CHECK_VALUE(module, "ModuleList: the module is a null pointer");
  modules_.insert(modules_.begin() + static_cast<ConstIterator::difference_type>(index), std::move(module));
  register_module(std::to_string(size() - 1), modules_.back());
  for (size_t i = index; i + 1 < size(); ++i) replace_module(std::to_string(i), modules_[i]);
}

std::shared_ptr<Module> ModuleListImpl::ptr(size_t index) const {
  ETUDE_CHECK_INDEX(index < size(), "Index out of range\nModuleList: index ", index, " of ", size(),
                    " modules");
  return modules_[index];
}

}  // namespace etude::nn
