#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/function_ref.h"
#include "etude/core/generator.h"
#include "etude/nn/module.h"

namespace etude::nn {

namespace detail {

/// The scope in which a clone is made; nested scopes belong to the outermost one. Tensors that the original shares
/// stay shared: inside reset(), a copied module registers the tensor already made for the same original tensor.
class ETUDE_API Clone {
 public:
  Clone();
  ~Clone();
  Clone(const Clone&) = delete;
  Clone& operator=(const Clone&) = delete;

  /// The copy of a tensor, made on first use.
  Tensor copy_of(const Tensor& original);
  /// Calls reset() of a copy. Modules that reset() itself clones do not belong to this clone.
  void reset(const Module& copy, const Module& original, FunctionRef<void()> function);
  /// The tensor to register: inside reset() of a copy the tensor of this clone, without values yet; otherwise `fresh`.
  static Tensor registered(const Module& copy, const std::string& name, Tensor fresh);

 private:
  Clone* around_;
  Clone* whole_;
  const Module *copy_ = nullptr, *original_ = nullptr;  // of reset()
  std::unordered_map<const void*, Tensor> copies_;
  std::vector<const void*> used_;
  std::vector<std::pair<std::string, Tensor>> dropped_;  // reset() made these though a copy existed
};

}  // namespace detail

/// The base of modules that clone() can copy: `class NetImpl : public Cloneable<NetImpl>`. The class registers its state in
/// reset(), which its constructor calls (torch::nn::Cloneable).
template <typename Derived>
class ETUDE_API Cloneable : public virtual Module {
 public:
  using Module::Module;

  /// Registers everything anew, with initial values.
  virtual void reset() = 0;

  /// An independent module with the same values. As with Python's deepcopy, no random numbers are consumed,
  /// frozen parameters stay frozen, and shared parameters stay shared.
  std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const override {
    NoGradGuard no_grad;
    etude::detail::KeepRandomState keep_random_state;
    detail::Clone clone;

    Derived* copy = new Derived(static_cast<const Derived&>(*this));
    // A pointer of one type for all classes compiles faster than make_shared<Derived>.
    std::shared_ptr<Module> owner(static_cast<Module*>(copy));
    copy->clear_state();
    clone.reset(*copy, *this, [copy] { copy->reset(); });
    copy->copy_state(*this, device);
    return owner;
  }

 private:
  void clone_(Module& other, const optional<Device>& device) final {
    const Nesting nesting;
    const std::shared_ptr<Module> clone = other.clone(device);
    const Derived* same = dynamic_cast<const Derived*>(clone.get());
    ETUDE_CHECK(same,
                "Attempted to clone submodule, but it is of a different type than the submodule it was to be "
                "cloned into");
    static_cast<Derived&>(*this) = *same;
    note_children();
  }
};

}  // namespace etude::nn
