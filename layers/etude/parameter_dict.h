#pragma once

#include "etude/framework.h"

namespace etude::nn {

/// Parameters by their names, in the order of insertion (torch::nn::ParameterDict). It has no forward. A
/// tensor that requires no grad is held as it is.
class ETUDE_API ParameterDictImpl : public Cloneable<ParameterDictImpl> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  ParameterDictImpl() = default;
  explicit ParameterDictImpl(const OrderedDict<std::string, Tensor>& params) { parameters_ = params; }

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override;
  std::string extra_repr() const override;

  /// Throws if the name is taken.
  Tensor& insert(std::string key, Tensor param);
  /// Takes a parameter out and returns it. Throws if there is none of that name.
  Tensor pop(const std::string& key);
  /// Puts tensors in place of those of the same names. Throws at the first name that is not there.
  template <typename Container>
  void update(const Container& container) {
    for (const auto& item : container) parameters_[item.key()] = item.value();
  }
  void clear() { parameters_.clear(); }

  std::vector<std::string> keys() const { return parameters_.keys(); }
  std::vector<Tensor> values() const { return parameters_.values(); }
  Iterator begin() { return parameters_.begin(); }
  Iterator end() { return parameters_.end(); }
  ConstIterator begin() const { return parameters_.begin(); }
  ConstIterator end() const { return parameters_.end(); }
  size_t size() const noexcept { return parameters_.size(); }
  bool empty() const noexcept { return parameters_.is_empty(); }
  bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }

  /// Throw if there is none of that name.
  Tensor& get(const std::string& key) { return parameters_[key]; }
  const Tensor& get(const std::string& key) const { return parameters_[key]; }
  Tensor& operator[](const std::string& key) { return parameters_[key]; }
  const Tensor& operator[](const std::string& key) const { return parameters_[key]; }
};
ETUDE_MODULE(ParameterDict);

}  // namespace etude::nn
