#pragma once

#include <memory>

#include "etude/autograd/grad_mode.h"
#include "etude/core/generator.h"
#include "etude/nn/module.h"

namespace etude {
namespace nn {

namespace detail {

/// Lets a scope draw from another stream than the default generator's, which so stays where it was.
class KeepRandomState {
 public:
  KeepRandomState() : kept_(default_generator()) { default_generator() = Generator(); }
  ~KeepRandomState() { default_generator() = kept_; }
  KeepRandomState(const KeepRandomState&) = delete;
  KeepRandomState& operator=(const KeepRandomState&) = delete;

 private:
  Generator kept_;
};

}  // namespace detail

/// The base of modules that clone() can copy: `class NetImpl : public Cloneable<NetImpl>`. The class
/// registers its parameters, buffers and submodules in reset(), which its constructor calls
/// (torch::nn::Cloneable).
template <typename Derived>
class ETUDE_API Cloneable : public virtual Module {
 public:
  using Module::Module;

  /// Registers everything anew, with initial values.
  virtual void reset() = 0;

  /// A module of the same values, which shares nothing with this one. As with Python's deepcopy no random
  /// numbers are used up and parameters that are frozen stay frozen.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    NoGradGuard no_grad;
    detail::KeepRandomState keep_random_state;

    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
    copy->parameters_.clear();
    copy->buffers_.clear();
    copy->children_.clear();
    copy->non_persistent_buffers_.clear();
    copy->reset();
    copy_tensors(parameters_, copy->parameters_, "parameters", "register_parameter");
    copy_tensors(buffers_, copy->buffers_, "buffers", "register_buffer");
    check_same_number(children_.size(), copy->children_.size(), "child modules", "register_module");
    for (const auto& child : children_)
      if (*child) copy->children_[child.key()]->clone_(**child, device);
    return copy;
  }

 private:
  void clone_(Module& other, const optional<Device>& device) final {
    auto clone = std::dynamic_pointer_cast<Derived>(other.clone(device));
    ETUDE_CHECK(clone,
                "Attempted to clone submodule, but it is of a different type than the submodule it was to be "
                "cloned into");
    static_cast<Derived&>(*this) = *clone;
  }

  static void copy_tensors(const OrderedDict<std::string, Tensor>& from, OrderedDict<std::string, Tensor>& to,
                           const char* what, const char* function) {
    check_same_number(from.size(), to.size(), what, function);
    for (const auto& item : from) {
      if (!item->defined()) continue;
      const Tensor& copy = to[item.key()];
      copy.set_data(item->detach().clone());
      copy.set_requires_grad(item->requires_grad());
    }
  }

  static void check_same_number(size_t before, size_t after, const char* what, const char* function) {
    ETUDE_CHECK(before == after, "The cloned module does not have the same number of ", what,
                " as the original module after calling reset(). Are you sure you called ", function,
                "() inside reset() and not the constructor?");
  }
};

}  // namespace nn
}  // namespace etude
