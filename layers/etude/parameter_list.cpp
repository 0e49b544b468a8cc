#include "etude/parameter_list.h"

namespace etude::nn {

std::shared_ptr<Module> ParameterListImpl::clone(const optional<Device>&) const {
  auto copy = std::make_shared<ParameterListImpl>(*this);
  for (auto& item : copy->parameters_)
    *item = item->detach().clone().set_requires_grad(item->requires_grad());
  return copy;
}

std::string ParameterListImpl::extra_repr() const {
  std::string text;
  for (const Item& item : parameters_) {
    text += str(text.empty() ? "" : "\n", "  (", item.key(), "): Parameter containing: [",
                dtype_name(item->scalar_type()), " of size ", Join("x", item->sizes()), "]");
  }
  return text;
}

const Tensor& ParameterListImpl::at(size_t idx) const {
  ETUDE_CHECK(idx < size(), "Index out of range\nParameterList: index ", idx, " of ", size(), " parameters");
  return parameters_[idx].value();
}

}  // namespace etude::nn
