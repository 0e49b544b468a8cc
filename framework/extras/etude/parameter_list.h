#pragma once

#include "etude/framework.h"

namespace etude::nn {

namespace detail {
/// Base of ParameterList and ParameterDict.
template <typename Derived>
class ParameterContainer : public Cloneable<Derived> {
 public:
  using Iterator = OrderedDict<std::string, Tensor>::Iterator;
  using ConstIterator = OrderedDict<std::string, Tensor>::ConstIterator;

  void reset() override {}
  std::shared_ptr<Module> clone(const optional<Device>& = nullopt) const override {
    Clone clone;
    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    for (auto& item : *copy) *item = clone.copy_of(*item);
    return copy;
  }

  /// The items, with their names.
  Iterator begin() { return this->parameters_.begin(); }
  Iterator end() { return this->parameters_.end(); }
  ConstIterator begin() const { return this->parameters_.begin(); }
  ConstIterator end() const { return this->parameters_.end(); }
  size_t size() const noexcept { return this->parameters_.size(); }

 protected:
  bool has_members() const final { return false; }
  /// One line per parameter, as Python prints it; `type` names its dtype.
  std::string printed(const std::function<std::string(ScalarType)>& type) const {
    std::string text;
    for (const auto& item : *this)
      text += str(text.empty() ? "" : "\n", "  (", item.key(), "): Parameter containing: [",
                  type(item->scalar_type()), " of size ", Join("x", item->sizes()), "]");
    return text;
  }
};
}  // namespace detail

/// A list of parameters, named by position: `0`, `1`, ... (torch::nn::ParameterList). It has no forward. A
/// tensor that does not require grad keeps that setting.
class ETUDE_API ParameterListImpl : public detail::ParameterContainer<ParameterListImpl> {
 public:
  using Item = OrderedDict<std::string, Tensor>::Item;

  ParameterListImpl() = default;
  /// Tensors, or items of another list.
  template <typename... Tensors,
            typename = std::enable_if_t<(... && !std::is_same_v<std::decay_t<Tensors>, ParameterListImpl>)>>
  explicit ParameterListImpl(Tensors&&... params) {
    parameters_.reserve(sizeof...(Tensors));
    (append(std::forward<Tensors>(params)), ...);
  }

  std::string extra_repr() const override { return printed(dtype_name); }

  /// Appends a parameter.
  void append(const Tensor& param) {
    register_parameter(std::to_string(size()), param, param.requires_grad());
  }
  void append(const Item& item) { append(item.value()); }
  /// Appends every tensor of another container.
  template <typename Container>
  void extend(const Container& container) {
    std::vector<Tensor> tensors;  // the container may be this list
    for (const auto& param : container) tensors.push_back(value_of(param));
    for (const Tensor& tensor : tensors) append(tensor);
  }
  ParameterListImpl& operator+=(const ParameterListImpl& other) {
    extend(other);
    return *this;
  }

  bool is_empty() const noexcept { return parameters_.is_empty(); }

  /// The parameter at a position. Throws if there is none.
  Tensor& at(size_t idx) { return const_cast<Tensor&>(std::as_const(*this).at(idx)); }
  const Tensor& at(size_t idx) const {
    ETUDE_CHECK(idx < size(), "Index out of range\nParameterList: index ", idx, " of ", size(),
                " parameters");
    return parameters_[idx].value();
  }
  Tensor& operator[](size_t idx) { return at(idx); }
  const Tensor& operator[](size_t idx) const { return at(idx); }

 private:
  static const Tensor& value_of(const Tensor& param) { return param; }
  static const Tensor& value_of(const Item& item) { return item.value(); }
};
ETUDE_MODULE(ParameterList);

}  // namespace etude::nn
