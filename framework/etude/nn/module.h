#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>
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

/// The differences that load_state_dict found: names that only the module has (missing) or only the dict has (unexpected).
struct ETUDE_API IncompatibleKeys {
  std::vector<std::string> missing_keys;
  std::vector<std::string> unexpected_keys;
};

/// Writes the result of load_state_dict as Python does: `<All keys matched successfully>`, or both lists of names.
ETUDE_API std::ostream& operator<<(std::ostream& out, const IncompatibleKeys& keys);

namespace detail {
class Clone;
}

/// The base class of models and their parts (torch::nn::Module). It holds parameters, buffers and submodules,
/// each under a name, in the order of their registration.
///
/// A subclass registers its state in its constructor and has a `forward` of any signature. Names must not be
/// empty or contain a dot. A copy of a module shares its tensors; clone() makes an independent module.
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
  /// A module with a name of its own instead of the name of its type.
  explicit Module(std::string name) : Module() { name_ = std::move(name); }
  Module(const Module&) = default;
  Module& operator=(const Module&) = default;
  virtual ~Module();

  /// The name given to the constructor, or the name of the type: `etude::nn::LinearImpl`.
  const std::string& name() const noexcept;

  /// The name given to the constructor, or the name of the type without namespaces and without `Impl` at its
  /// end: `Linear`. Printing and load_state_dict use it. Override it to change it.
  virtual std::string class_name() const;

  // Registration.

  /// Registers a trainable tensor and returns it. An undefined tensor stands for an absent parameter.
  Tensor& register_parameter(std::string name, Tensor tensor, bool requires_grad = true);
  /// Replaces a registered parameter and returns the new one, for the member that holds it. This ties
  /// weights: `head->weight = head->replace_parameter("weight", wte->weight)`.
  [[nodiscard]] Tensor& replace_parameter(const std::string& name, const Tensor& tensor) {
    return parameters_[name] = tensor;
  }
  /// Registers a tensor that is state but not trained. state_dict omits a buffer that is not persistent.
  Tensor& register_buffer(std::string name, Tensor tensor, bool persistent = true);
  /// Registers a submodule and returns it. A null pointer stands for an absent submodule.
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, std::shared_ptr<ModuleType> module) {
    add_child(std::move(name), module);
    return module;
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> register_module(std::string name, ModuleHolder<ModuleType> holder) {
    return register_module(std::move(name), holder.ptr());
  }
  template <typename NameIsFirst, typename... More,
            typename = std::enable_if_t<!std::is_convertible_v<NameIsFirst, std::string> &&
                                        !std::is_base_of_v<Module, NameIsFirst>>>
  void register_module(const NameIsFirst&, const More&...) = delete;  // register_module("fc", Linear(3, 4))
  template <typename UseMakeShared, typename = std::enable_if_t<std::is_base_of_v<Module, UseMakeShared>>>
  void register_module(std::string, const UseMakeShared&) = delete;  // std::make_shared<Net>()
  /// Replaces a registered submodule and returns the new one.
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, std::shared_ptr<ModuleType> module) {
    set_child(children_[name], module);
    return module;
  }
  template <typename ModuleType>
  std::shared_ptr<ModuleType> replace_module(const std::string& name, ModuleHolder<ModuleType> holder) {
    return replace_module(name, holder.ptr());
  }
  /// Removes a submodule. Throws if there is none of that name.
  void unregister_module(const std::string& name) {
    ETUDE_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
    children_.erase(name);
  }

  // State. A module's own tensors come before those of its submodules; undefined tensors are omitted. As in
  // Python, a tensor that is registered twice is listed once, under its first name. In debug builds and anomaly
  // mode, parameters() warns about registered parameters that no member of their module holds.

  /// The parameters of this module and, if `recurse`, of all modules below it.
  std::vector<Tensor> parameters(bool recurse = true) const { return named_parameters(recurse).values(); }
  /// The same with their names, which include the path of the submodule: `fc.weight`.
  OrderedDict<std::string, Tensor> named_parameters(bool recurse = true) const;
  /// The buffers of this module and, if `recurse`, of all modules below it.
  std::vector<Tensor> buffers(bool recurse = true) const { return named_buffers(recurse).values(); }
  /// The same with their names.
  OrderedDict<std::string, Tensor> named_buffers(bool recurse = true) const;

  /// Parameters and persistent buffers under Python's names, detached. They share the module's memory.
  OrderedDict<std::string, Tensor> state_dict() const;

  /// Copies the tensors of `state` into the parameters and persistent buffers of the same names. As in Python, all that fit
  /// are copied before errors are reported: differing sizes always throw, missing and unexpected names only if `strict`.
  IncompatibleKeys load_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict = true);
  /// Throws the errors that load_state_dict would throw, and copies nothing.
  IncompatibleKeys check_state_dict(const OrderedDict<std::string, Tensor>& state, bool strict = true) const;

  /// Writes parameters, persistent buffers and submodules to an archive, under the names of state_dict.
  virtual void save(serialize::OutputArchive& archive) const;
  /// Reads them from an archive. Throws if sizes differ or if anything is missing, except submodules without state.
  virtual void load(serialize::InputArchive& archive);
  /// Whether a parent module saves and loads this one.
  virtual bool is_serializable() const { return true; }

  // The tree. This module comes first, then each submodule followed by its own submodules; names are joined by dots.

  /// This module and all modules below it. `include_self` requires that a shared_ptr owns this module.
  std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const {
    return named_modules(std::string(), include_self).values();
  }
  /// This module, unless `include_self` is false, and all modules below it, with their names after the prefix.
  OrderedDict<std::string, std::shared_ptr<Module>> named_modules(
      const std::string& name_prefix = std::string(), bool include_self = true) const;
  /// The direct submodules.
  std::vector<std::shared_ptr<Module>> children() const { return named_children().values(); }
  /// The direct submodules with their names.
  OrderedDict<std::string, std::shared_ptr<Module>> named_children() const;

  /// Calls the function for this module and all modules below it. For the forms with pointers a shared_ptr must own this one.
  void apply(const ModuleApplyFunction& function);
  void apply(const ConstModuleApplyFunction& function) const;
  void apply(const NamedModuleApplyFunction& function, const std::string& name_prefix = std::string());
  void apply(const ConstNamedModuleApplyFunction& function,
             const std::string& name_prefix = std::string()) const;
  void apply(const ModulePointerApplyFunction& function) const;
  void apply(const NamedModulePointerApplyFunction& function,
             const std::string& name_prefix = std::string()) const;

  // Modes and conversions, for this module and everything below it.

  /// Sets training mode, the default: dropout is active. An EvalMode overrides it on its thread.
  virtual void train(bool on = true);
  /// Sets eval mode: dropout returns its input.
  void eval() { train(false); }
  /// Whether the module is in training mode and no EvalMode on this thread covers it.
  virtual bool is_training() const noexcept;

  /// Converts parameters, their gradients and buffers to a floating type. As in Python, integers and bools stay.
  virtual void to(Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, Dtype dtype, bool non_blocking = false);
  virtual void to(Device device, bool non_blocking = false);

  /// Drops gradients, so that grad() is undefined; without `set_to_none`, fills existing ones with zeros.
  virtual void zero_grad(bool set_to_none = true);

  // Hooks are called in the order of their registration by `holder(...)`, nn::call, AnyModule and Sequential;
  // forward alone calls none. They see the arguments and results of forward as a std::vector<Tensor>, with an
  // undefined tensor for anything else. A hook may return a list of the same size, or a Tensor for a list of one,
  // which replaces what it saw; a hook that returns void, nullopt or an undefined Tensor only looks. A clone has
  // the same hooks in a list of its own, as with Python's deepcopy. A hook that captures a holder of its own module
  // or of a parent keeps both alive forever: use the module it is called with, a reference or a std::weak_ptr.

  /// Calls `hook(module, inputs)` before forward (Python's register_forward_pre_hook).
  template <typename Hook>
  RemovableHandle register_forward_pre_hook(Hook hook) {
    return add_hook(
        detail::HookKind::kForwardPre,
        [h = std::move(hook)](Module& m, const auto& x, const auto& /*none*/) mutable { return h(m, x); });
  }
  /// Calls `hook(module, inputs, outputs)` after forward (Python's register_forward_hook).
  template <typename Hook>
  RemovableHandle register_forward_hook(Hook hook) {
    return add_hook(detail::HookKind::kForward, std::move(hook));
  }
  /// Calls `hook(module, grad_input, grad_output)` when the gradients of the inputs are known, before they flow
  /// further back; if no input requires grad, when those of the outputs are (Python's register_full_backward_hook).
  /// Arguments and results of forward are then views that must not be modified in place.
  template <typename Hook>
  RemovableHandle register_full_backward_hook(Hook hook) {
    return add_hook(detail::HookKind::kFullBackward, std::move(hook));
  }
  /// Whether any hook is registered.
  bool has_hooks() const noexcept { return static_cast<bool>(hooks_); }

  /// An independent module with the same values. Throws unless the class inherits Cloneable.
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

  /// The text between the parentheses after the name, one line per `\n`:
  /// `in_features=4, out_features=3, bias=True`.
  virtual std::string extra_repr() const { return ""; }
  /// Whether equal children in a row are printed once, as in Python's ModuleList.
  virtual bool folds_children() const { return false; }
  /// Writes the module and everything below it as Python prints it, without a newline at the end.
  virtual void pretty_print(std::ostream& out) const;

 protected:
  OrderedDict<std::string, Tensor> parameters_;

  /// A parameter of forward that may be omitted in a Sequential or an AnyModule, and its default value.
  struct DefaultArgument {
    unsigned int index;
    AnyValue value;
  };
  /// Whether each parameter is also a member of the class; false for lists and dicts of parameters.
  virtual bool has_members() const { return true; }
  /// Overridden by FORWARD_HAS_DEFAULT_ARGS.
  virtual std::vector<DefaultArgument> forward_default_arguments() const { return {}; }

 private:
  // Counts how deeply nested the modules are that this thread visits, and throws at a depth that only a cycle reaches.
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
  friend class detail::ModuleScope;

  template <typename Hook>
  RemovableHandle add_hook(detail::HookKind kind, Hook hook) {
    return hooks_.add(kind, [h = std::move(hook)](Module& m, const std::vector<Tensor>& x,
                                                  const std::vector<Tensor>& y) mutable {
      return detail::result_of_hook(h, m, x, y);
    });
  }

  // Called by Cloneable::clone() before and after it registers all state anew.
  void clear_state();
  void copy_state(const Module& from, const optional<Device>& device);
  // Records this module as the parent of its copied children.
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

  struct LoadReport;
  std::vector<std::pair<std::string, Tensor>> own_state() const;
  IncompatibleKeys load_or_check(const OrderedDict<std::string, Tensor>& state, bool strict,
                                 bool copies) const;
  void load_own_state(const OrderedDict<std::string, Tensor>& state, const std::string& prefix,
                      LoadReport& report) const;

  OrderedDict<std::string, Tensor> buffers_;
  OrderedDict<std::string, std::shared_ptr<Module>> children_;
  std::vector<std::string> non_persistent_buffers_;
  detail::HookList hooks_;
  optional<std::string> name_;  // nullopt for the name of the type
  bool is_training_ = true;
  mutable bool is_registered_ = false;  // with any module, or cloned while a holder builds a module
};

/// Writes the module as Python prints it.
ETUDE_API std::ostream& operator<<(std::ostream& out, const Module& module);

/// Saves the module to an archive. Throws for a null pointer.
ETUDE_API serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                               const std::shared_ptr<Module>& module);
/// Loads the module from an archive. Throws for a null pointer.
ETUDE_API serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                              const std::shared_ptr<Module>& module);

}  // namespace etude::nn

/// Declares default arguments of forward, so that they may be omitted in a Sequential:
/// `FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(2)}, {2, AnyValue(3.0)})`.
#define FORWARD_HAS_DEFAULT_ARGS(...)                                                            \
  std::vector<::etude::nn::Module::DefaultArgument> forward_default_arguments() const override { \
    return {__VA_ARGS__};                                                                        \
  }
