#include "etude/sequential.h"

namespace etude::nn {

SequentialImpl::SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) {
  for (auto& item : modules) push_back(item.key(), std::move(item.value()));
}

SequentialImpl::SequentialImpl(std::initializer_list<NamedAnyModule> modules) {
  for (const NamedAnyModule& named : modules) push_back(named.name(), named.module());
}

Sequential::Sequential(std::initializer_list<NamedAnyModule> modules)
    : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}

std::shared_ptr<Module> SequentialImpl::clone(const optional<Device>& device) const {
  auto copy = std::make_shared<SequentialImpl>(*this);
  const std::vector<std::string> names = named_children().keys();
  for (size_t i = 0; i < size(); ++i) {
    copy->modules_[i] = modules_[i].clone(device);
    copy->replace_module(names[i], copy->modules_[i].ptr());
  }
  return copy;
}

AnyValue SequentialImpl::any_forward(std::vector<AnyValue> args) {
  ETUDE_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
  AnyValue value = modules_.front().any_forward(std::move(args));
  for (size_t i = 1; i < size(); ++i)
    value = modules_[i].any_forward(std::vector<AnyValue>{std::move(value)});
  return value;
}

void SequentialImpl::push_back(AnyModule module) { push_back(std::to_string(size()), std::move(module)); }

void SequentialImpl::push_back(std::string name, AnyModule module) {
  register_module(std::move(name), module.ptr());
  modules_.push_back(std::move(module));
}

const AnyModule& SequentialImpl::element(size_t index) const {
  ETUDE_CHECK_INDEX(index < size(), "Index out of range\nSequential: index ", index, " of ", size(),
                    " modules");
  return modules_[index];
}

}  // namespace etude::nn
