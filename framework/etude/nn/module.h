#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "etude/core/error.h"
#include "etude/core/ordered_dict.h"
#include "etude/core/tensor.h"
#include "etude/io/archives.h"
#include "etude/nn/any_value.h"
#include "etude/nn/module_holder.h"
#include "etude/nn/module_hooks.h"

namespace etude::nn {

/// What load_state_dict found to differ: names that the module has and the dict lacks, and the reverse.
struct ETUDE_API IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};

/// Writes `<All keys matched successfully>`, or both lists, as Python does.
ETUDE_API std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

namespace detail {
class Clone;
}

/// The base of everything that has state and is part of a model: parameters, buffers and submodules, each
/// under a name, in the order of their registration (torch::nn::Module).
///
/// A subclass registers its state in its constructor and has a `forward` of any signature. Names must not be
/// empty or contain a dot. Copying a module copies the handles, so that both share their tensors; clone()
/// makes independent ones.
class ETUDE_API Module : public std::enable_shared_from_this<Module> {
 public:
  using ModuleApplyFunction = std::function<void(Module&)>;
  using ConstModuleApplyFunction = std::function<void(const Module&)>;
  using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
  using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
  using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
  using NamedModulePointerApplyFunction =
      std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

  Module();
  /// A module with a name of its own instead of its type's.
  explicit Module(std::string name) : Module() { name_ = std::move(name); }
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  virtual ~Module();

  /// The name given to the constructor, or the type's: `etude::nn::LinearImpl`.
  const std::string& name() const noexcept;

  /// The name given to the constructor, or the type's without namespaces and without `Impl` at its end:
  /// `Linear`. Prints and load_state_dict use it. Override it to be called otherwise.
  virtual std::string class_name() const;

  // Registration.

  /// Adds a trainable tensor and returns it. An undefined one stands for a parameter that is left out.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Puts another tensor in the place of a registered parameter and returns it, for the member that holds it. So are weights
  /// tied: `head->weight = head->replace_parameter("weight", wte->weight)`.
  [[nodiscard]] Tensor& replace_parameter(const std::string& name, const Tensor& tensor) {
    return parameters_[name] = tensor;
  }
  /// Adds a tensor that is state but not trained. A buffer that is not persistent is left out of state_dict.
  Tensor& register_buffer(std::string name, Tensor tensor, bool persistent = true);
  /// Adds a submodule and returns it. A null pointer stands for one that is left out.
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, std::shared_ptr<ModuleType> module) {
    add_child(std::move(name), module);
    return module;
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  /// Puts another submodule in the place of a registered one and returns it.
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, std::shared_ptr<ModuleType> module) {
    set_child(children_[name], module);
    return module;
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, ModuleHolder<ModuleType> holder) {
    return replace_module(name, holder.ptr());
  }
  /// Takes a submodule out. Throws if there is none of that name.
  void unregister_module(const std::string& name) {
    ETUDE_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
    children_.erase(name);
  }

  // State. A module's own comes before its submodules'; undefined tensors are left out. As in Python a tensor that is
  // registered twice is listed once, under its first name. In debug builds and anomaly mode parameters() warns of what no
  // member of a module holds any more.

  /// The parameters of this module and, if `recurse`, of all below it.
  std::vector<Tensor> parameters(bool recurse = true) const { return named_parameters(recurse).values(); }
  /// The same with their names, those of submodules behind a dot: `fc.weight`.
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  /// The buffers of this module and, if `recurse`, of all below it.
  std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }
  /// The same with their names.
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;

  /// Parameters and persistent buffers under Python's names, detached. They share the module's memory.
  OrderedDict<std::string, Tensor> state_dict() const;

  /// Copies the tensors of `state` into the parameters and persistent buffers of their names, as in Python all that fit before
  /// anything is reported: sizes that differ always throw, missing and unexpected names only if `strict`.
  IncompatibleKeys load_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict = true);
  /// Throws what load_state_dict would throw, and copies nothing.
  IncompatibleKeys check_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict = true) const;

  /// Writes parameters, persistent buffers and submodules to an archive, under the names of state_dict.
  virtual void save(serialize::OutputArchive& archive) const;
  /// Copies them from an archive. Throws for what is missing, but for submodules without state, or has other sizes.
  virtual void load(serialize::InputArchive& archive);
  /// Whether a module that this one belongs to saves and loads it.
  virtual bool is_serializable() const { return true; }

  // The tree. This module comes first, then each submodule followed by its own; names are joined by dots.

  /// This module and all below it. include_self needs this module to be owned by a shared_ptr.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const {
    return named_modules(std::string(), include_self).values();
  }
  /// This module, unless `include_self` is false, and all below it, with their names behind the prefix.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  /// The direct submodules.
  std::vector<std::shared_ptr<Module>> children() const { return named_children().values(); }
  /// The direct submodules with their names.
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;

  /// Calls the function for this module and all below it, which for the forms with pointers a shared_ptr has to own.
  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function, const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function,
             const std::string& name_prefix = std::string()) const;

  // Modes and conversions, for this module and everything below it.

  /// In training mode, that of a new module, dropout drops. For a thread that has an EvalMode of it, it is in eval mode.
  virtual void train(bool on = true);
  /// Out of training mode: dropout hands on what it gets.
  void eval() { train(false); }
  /// Whether it is in training mode, and no EvalMode of this thread covers it.
  virtual bool is_training() const noexcept;

  /// Converts parameters, their gradients and buffers to a floating type; as in Python integers and bools stay.
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);

  /// Fills the gradients that exist with zeros, or forgets them.
  virtual void zero_grad(bool set_to_none = false);

  // Hooks are called in the order in which they were registered, with this module, by `holder(...)`, nn::call, AnyModule and
  // Sequential; forward alone calls none. Of what forward takes and returns they see a std::vector<Tensor>, in which an
  // undefined tensor stands for what is none. A list of the same size that a hook returns, or a Tensor for a list of one,
  // takes the place of what it saw; a hook that returns void, nullopt or an undefined Tensor only looks. A clone has the same
  // hooks, and a list of its own of them, as Python's deepcopy. A hook that captures a holder of its own module, or of one that
  // this module is a part of, keeps both for ever: it takes the module that it is called with, a reference or a std::weak_ptr.

  /// Calls `hook(module, inputs)` before forward (Python's register_forward_pre_hook).
  template <typename Hook>
  RemovableHandle register_forward_pre_hook(Hook hook) {
    return hooks_.add(
        detail::HookKind::kForwardPre,
        [h = std::move(hook)](Module& m, const std::vector<Tensor>& x, const std::vector<Tensor>&) mutable {
          return detail::result_of_hook(h, m, x);
        });
  }
  /// Calls `hook(module, inputs, outputs)` after forward (Python's register_forward_hook).
  template <typename Hook>
  RemovableHandle register_forward_hook(Hook hook) {
    return add_hook(detail::HookKind::kForward, std::move(hook));
  }
  /// Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are known, before they go on from
  /// there, or those of the outputs if no input requires any (Python's register_full_backward_hook). What forward takes and
  /// returns are then views that must not be written in place.
  template <typename Hook>
  RemovableHandle register_full_backward_hook(Hook hook) {
    return add_hook(detail::HookKind::kFullBackward, std::move(hook));
  }
  /// Whether any hook is registered.
  bool has_hooks() const noexcept { return static_cast<bool>(hooks_); }

  /// A module of the same values that shares nothing with this one. Throws unless it inherits Cloneable.
  virtual std::shared_ptr<Module> clone(const optional<Device>& device = nullopt) const;

  /// This module as the given class or holder, or null: `if (auto* linear = module.as<Linear>())`.
  template <typename ModuleType>
  auto* as() noexcept {
    return cast<ModuleType>(this);
  }
  template <typename ModuleType>
  const auto* as() const noexcept {
    return cast<const ModuleType>(const_cast<Module*>(this));
  }

  // Printing.

  /// What stands between the parentheses after the name, one line per `\n`:
  /// `in_features=4, out_features=3, bias=True`.
  virtual std::string extra_repr() const { return ""; }
  /// Writes the module and everything below it as Python prints it, without a newline at the end.
  virtual void pretty_print(std::ostream& out) const;

 protected:
  OrderedDict<std::string, Tensor> parameters_;

  /// A parameter of forward that may be left out in a Sequential or an AnyModule, and its value.
  struct DefaultArgument {
    unsigned int index;
    AnyValue value;
  };
  /// Whether a parameter is also a member of the class, as in all but lists and dicts of parameters.
  virtual bool has_members() const { return true; }
  /// Overridden by FORWARD_HAS_DEFAULT_ARGS.
  virtual std::vector<DefaultArgument> forward_default_arguments() const { return {}; }

 private:
  // Counts how deep in each other the modules are that this thread works on, and refuses what only a cycle reaches.
  struct ETUDE_API Nesting {
    Nesting();
    ~Nesting();
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
  };

  template <typename Derived>
  friend class Cloneable;
  friend class AnyModule;
  friend class detail::Clone;
  friend class detail::Construction;
  friend class detail::HookedCall;
  friend class detail::ModulePath;

  template <typename Hook>
  RemovableHandle add_hook(detail::HookKind kind, Hook hook) {
    return hooks_.add(kind, [h = std::move(hook)](Module& m, const std::vector<Tensor>& x,
                                                  const std::vector<Tensor>& y) mutable {
      return detail::result_of_hook(h, m, x, y);
    });
  }

  // What Cloneable::clone() does before and after it registers everything anew.
  void clear_state();
  void copy_state(const Module& from, const optional<Device>& device);
  // Children that were copied are of this module too.
  void note_children() const;
  void warn_of_lost_members(const std::string& path) const;
  // Copies the state of `other`, a module of the same class, into this one.
  virtual void clone_(Module& other, const optional<Device>& device);

  template <typename ModuleType>
  static auto* cast(Module* module) noexcept {
    if constexpr (detail::is_module_holder<ModuleType>)
      return dynamic_cast<typename ModuleType::ContainedType*>(module);
    else return dynamic_cast<ModuleType*>(module);
  }

  void add_child(std::string name, std::shared_ptr<Module> module);
  void set_child(std::shared_ptr<Module>& child, std::shared_ptr<Module> module);
  void apply_to_submodules(const NamedModulePointerApplyFunction& function,
                           const std::string& name_prefix) const;
  std::shared_ptr<Module> shared_from_this_checked() const;

  struct LoadReport;
  std::vector<std::pair<std::string, Tensor>> own_state() const;
  void append_state(OrderedDict<std::string, Tensor>& state, const std::string& prefix) const;
  IncompatibleKeys load_or_check(const OrderedDict<std::string, Tensor>& state, bool strict,
                                 bool copies) const;
  void load_state(const OrderedDict<std::string, Tensor>& state, const std::string& prefix,
                  LoadReport& report) const;
  void load_own_state(const OrderedDict<std::string, Tensor>& state, const std::string& prefix,
                      LoadReport& report) const;

  OrderedDict<std::string, Tensor> buffers_;
  OrderedDict<std::string, std::shared_ptr<Module>> children_;
  std::vector<std::string> non_persistent_buffers_;
  detail::HookList hooks_;
  optional<std::string> name_;  // none if it is the type's
  bool is_training_ = true;
  mutable bool is_registered_ = false;  // with any module, or cloned into what may be
};

/// Writes the module as Python prints it.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Module& module);

/// Saves the module to an archive; a null pointer is refused.
ETUDE_API serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                               const std::shared_ptr<Module>& module);
/// Loads the module from an archive; a null pointer is refused.
ETUDE_API serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                              const std::shared_ptr<Module>& module);

}  // namespace etude::nn

/// In a class with default arguments in forward: says which they are, so that they may be left out in a
/// Sequential: `FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(2)}, {2, AnyValue(3.0)})`.
#define FORWARD_HAS_DEFAULT_ARGS(...) \
  std::vector<DefaultArgument> forward_default_arguments() const override { return {__VA_ARGS__}; }
