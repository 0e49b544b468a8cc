#include "etude/sequential.h"

namespace etude::nn {

std::shared_ptr<Module> SequentialImpl::clone(const optional<Device>& device) const {
  const detail::Clone clone;
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

const AnyModule& SequentialImpl::element(size_t index) const {
  ETUDE_CHECK_INDEX(index < size(), "Index out of range\nSequential: index ", index, " of ", size(),
                    " modules");
  return modules_[index];
}

}  // namespace etude::nn
