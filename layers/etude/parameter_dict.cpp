#include "etude/parameter_dict.h"

namespace etude::nn {

std::shared_ptr<Module> ParameterDictImpl::clone(const optional<Device>&) const {
  auto copy = std::make_shared<ParameterDictImpl>(*this);
  for (auto& item : copy->parameters_)
    *item = item->detach().clone().set_requires_grad(item->requires_grad());
  return copy;
}

std::string ParameterDictImpl::extra_repr() const {
  std::string text;
  for (const auto& item : parameters_) {
    text += str(text.empty() ? "" : "\n", "  (", item.key(), "): Parameter containing: [torch.",
                toString(item->scalar_type()), "Tensor of size ", Join("x", item->sizes()), "]");
  }
  return text;
}

Tensor& ParameterDictImpl::insert(std::string key, Tensor param) {
  const bool requires_grad = param.requires_grad();
  return register_parameter(std::move(key), std::move(param), requires_grad);
}

Tensor ParameterDictImpl::pop(const std::string& key) {
  Tensor param = parameters_[key];
  parameters_.erase(key);
  return param;
}

}  // namespace etude::nn
