#pragma once

// For tutorials, examples and tests of the composed layers: Etude's own sources for printing and for the composed layers
// need these names in addition to LibTorch's public API.

#include <cstdint>
#include <functional>
#include <ostream>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

#include "libtorch/adaptor.h"

#define ETUDE_API

namespace torch {

std::string repr(const Tensor& t);

namespace detail {

template <typename T>
constexpr bool is_floating = std::is_floating_point_v<T>;

template <typename F>
auto dispatch(ScalarType t, F&& f) {
  switch (t) {
    case kBool:
      return f(false);
    case kByte:
      return f(uint8_t{0});
    case kChar:
      return f(int8_t{0});
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

namespace autograd {

/// Python's gradcheck for one input, in float64: central differences of the outputs' sum, weighted unevenly.
inline bool gradcheck(const TensorFunction& function, const variable_list& inputs, double eps, double atol,
                      double rtol, bool) {
  const Tensor x = inputs.at(0).detach().clone().requires_grad_();
  const Tensor y = function({x});
  const Tensor weights = torch::arange(1, y.numel() + 1, y.options()).view(y.sizes());
  const Tensor gradient = autograd::grad({(y * weights).sum()}, {x})[0];
  const NoGradGuard no_grad;
  const Tensor flat = x.view({-1}), found = torch::empty_like(gradient);
  for (int64_t i = 0; i < flat.numel(); ++i) {
    const Tensor at = flat[i], before = at.clone();
    at.copy_(before + eps);
    const Tensor high = (function({x}) * weights).sum();
    at.copy_(before - eps);
    const Tensor low = (function({x}) * weights).sum();
    at.copy_(before);
    found.view({-1})[i] = (high - low) / (2 * eps);
  }
  return torch::allclose(gradient, found, rtol, atol);
}

}  // namespace autograd

inline Generator default_generator() { return at::detail::getDefaultCPUGenerator(); }

/// The steps that Etude takes in one pass.
inline Tensor sinusoids(const Tensor& positions, const Tensor& frequencies, int64_t width) {
  const Tensor angles = positions.unsqueeze(1) * frequencies;
  return stack({sin(angles), cos(angles)}, 2).flatten(1).narrow(1, 0, width).contiguous();
}
inline Tensor positioned_embedding(const Tensor& weight, const Tensor& ids, const Tensor& positions,
                                   int64_t position_dim, int64_t padding_idx, double scale, double p) {
  const Tensor table = positions.narrow(0, 0, ids.size(position_dim)).unsqueeze(1 - position_dim);
  return dropout(embedding(weight, ids, padding_idx) * scale + table, p, p > 0);
}

namespace nn {

namespace functional {
inline Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                           const Tensor& attn_mask = {}) {
  return torch::scaled_dot_product_attention(query, key, value,
                                             attn_mask.defined() ? optional<Tensor>(attn_mask) : nullopt);
}
}  // namespace functional

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

/// A module with what Python's module has and LibTorch's lacks: a state, and buffers that are not part of it.
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
