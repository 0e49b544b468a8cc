#pragma once

// For tutorials, examples and tests of the composed layers: what Etude's own sources for printing and for the
// composed layers need beside LibTorch's public API.

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "libtorch/adaptor.h"

#define ETUDE_API

namespace torch {

std::string repr(const Tensor& t);

namespace detail {

template <typename F>
auto dispatch(ScalarType t, F&& f) {
  switch (t) {
    case kBool:
      return f(false);
    case kByte:
      return f(uint8_t{0});
    case kInt:
      return f(int32_t{0});
    case kLong:
      return f(int64_t{0});
    case kFloat:
      return f(0.0f);
    default:
      return f(0.0);
  }
}

inline void print_one(std::ostream& out, const Tensor& t) { out << repr(t); }
inline void print_one(std::ostream& out, IntArrayRef sizes) {
  out << "torch.Size([";
  for (size_t i = 0; i < sizes.size(); ++i) out << (i ? ", " : "") << sizes[i];
  out << "])";
}
inline void print_one(std::ostream& out, const caffe2::TypeMeta& t) {
  out << dtype_name(typeMetaToScalarType(t));
}
inline void print_one(std::ostream& out, ScalarType t) { out << dtype_name(t); }

}  // namespace detail

inline Generator default_generator() { return at::detail::getDefaultCPUGenerator(); }

namespace nn {

/// The names of the buffers of a module that its state leaves out.
struct Transient {
  virtual ~Transient() = default;
  std::set<std::string> names;
};

/// The parameters and buffers of a module and then those of its children, as Python's state_dict() orders
/// them.
inline void add_state(OrderedDict<std::string, Tensor>& state, const std::string& prefix,
                      const Module& module) {
  const auto* transient = dynamic_cast<const Transient*>(&module);
  for (const auto& p : module.named_parameters(false)) state.insert(prefix + p.key(), p.value());
  for (const auto& b : module.named_buffers(false))
    if (!transient || !transient->names.count(b.key())) state.insert(prefix + b.key(), b.value());
  for (const auto& child : module.named_children())
    add_state(state, prefix + child.key() + ".", *child.value());
}

/// A module with what Python's has and LibTorch's has not: a state, and buffers that stay out of it.
template <typename Base>
struct WithState : Base, Transient {
  using Base::Base;

  Tensor& register_buffer(std::string name, Tensor tensor, bool persistent = true) {
    if (!persistent) names.insert(name);
    return Base::register_buffer(std::move(name), std::move(tensor));
  }
  OrderedDict<std::string, Tensor> state_dict() const {
    OrderedDict<std::string, Tensor> state;
    add_state(state, "", *this);
    return state;
  }
  std::string load_state_dict(const OrderedDict<std::string, Tensor>& given) {
    const NoGradGuard no_grad;
    auto state = state_dict();
    TORCH_CHECK(state.keys() == given.keys(), "Error(s) in loading state_dict");
    for (const auto& item : given) state[item.key()].copy_(item.value());
    return "<All keys matched successfully>";
  }
};

using ModuleWithState = WithState<Module>;
template <typename Derived>
using CloneableWithState = WithState<Cloneable<Derived>>;

}  // namespace nn
}  // namespace torch

// The modules that programs derive.
#define Module ModuleWithState
#define Cloneable CloneableWithState
