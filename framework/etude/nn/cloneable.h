#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "etude/autograd/grad_mode.h"
#include "etude/core/function_ref.h"
#include "etude/core/generator.h"
#include "etude/nn/module.h"

namespace etude::nn {

namespace detail {

/// In its scope, or in that of the outermost one around it, a clone is made. What is one tensor in the original is one in the clone,
/// because a module that is a copy registers the tensor that its original's has become.
class ETUDE_API Clone {
 public:
  struct Resetting {
    const Module* copy;
    const Module* original;
    Clone* clone;
  };

  Clone();
  ~Clone();
  Clone(const Clone&) = delete;
  Clone& operator=(const Clone&) = delete;

  /// The copy of a tensor, made when it is first asked for.
  Tensor copy_of(const Tensor& original);
  /// Calls reset() of a copy. Modules that reset() clones itself are none of this clone.
  void reset(const Module& copy, const Module& original, FunctionRef<void()> function);
  /// What a module registers: in reset() of a copy the tensor of this clone, which has no values yet, else `fresh`.
  static Tensor registered(const Module& copy, const std::string& name, Tensor fresh);

 private:
  Clone* around_;
  Clone* whole_;
  std::unordered_map<const void*, Tensor> copies_;
  std::unordered_set<const void*> used_;
  std::vector<std::pair<std::string, Tensor>> dropped_;  // what reset() made for parameters that had a copy
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

  /// A module of the same values, which shares nothing with this one. As with Python's deepcopy no random
  /// numbers are used up, parameters that are frozen stay frozen, and those that are one tensor are one.
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
