#pragma once

#include "etude/parameter_list.h"

namespace etude::nn {

/// Parameters by name, in insertion order (torch::nn::ParameterDict). It has no forward. A tensor that does
/// not require grad keeps that setting.
class ETUDE_API ParameterDictImpl : public detail::ParameterContainer<ParameterDictImpl> {
 public:
  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& params) { parameters_ = params; }

  std::string extra_repr() const override {
    return printed([](ScalarType t) { return str("torch.", toString(t), "Tensor"); });
  }

  /// Throws if the name is taken.
  Tensor& insert(std::string key, Tensor param) {
    const bool requires_grad = param.requires_grad();
    return register_parameter(std::move(key), std::move(param), requires_grad);
  }
  /// Removes a parameter and returns it. Throws if there is none of that name.
  Tensor pop(const std::string& key) {
    Tensor param = parameters_[key];
    parameters_.erase(key);
    return param;
  }
  /// Replaces tensors by name. Throws at the first name that does not exist.
  template <typename Container>
  void update(const Container& container) {
    for (const auto& item : container) parameters_[item.key()] = item.value();
  }
  /// Removes all parameters.
  void clear() { parameters_.clear(); }

  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<Tensor> values() const { return parameters_.values(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  /// Whether there is a parameter of this name.
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }

  /// The parameter of this name. Throws if there is none.
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
};
ETUDE_MODULE(ParameterDict);

}  // namespace etude::nn
