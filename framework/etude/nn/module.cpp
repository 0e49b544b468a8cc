#include "etude/nn/module.h"

#include <mutex>
#include <typeindex>
#include <unordered_map>
#include <unordered_set>

#include "etude/autograd/anomaly_mode.h"
#include "etude/core/warning.h"
#include "etude/nn/cloneable.h"
#include "etude/nn/eval_mode.h"

namespace etude::nn {

namespace {

constexpr int kMostNested = 1000;  // about Python's recursion limit
thread_local int modules_deep = 0;
thread_local detail::Construction* innermost_construction = nullptr;

void check_same_number(size_t before, size_t after, const char* what, const char* function) {
  ETUDE_CHECK(before == after, "The cloned module does not have the same number of ", what,
              " as the original module after calling reset(). Are you sure you called ", function,
              "() inside reset() and not the constructor?");
}

void copy_tensors(const OrderedDict<std::string, Tensor>& from, OrderedDict<std::string, Tensor>& to,
                  const char* what, const char* function) {
  check_same_number(from.size(), to.size(), what, function);
  for (const auto& item : from) {
    if (!item->defined()) continue;
    const Tensor& copy = to[item.key()];
    copy.set_data(item->detach().clone());
    copy.set_requires_grad(item->requires_grad());
  }
}

void check_name(const char* what, const std::string& name) {
  ETUDE_CHECK(!name.empty(), what, " name must not be empty");
  ETUDE_CHECK(name.find('.') == std::string::npos, what, " name must not contain a dot (got '", name, "')");
}

// The parameters or the buffers of a module and, with `recurse`, of the modules below it; each tensor once.
OrderedDict<std::string, Tensor> named_tensors(const Module& module,
                                               OrderedDict<std::string, Tensor> Module::*list, bool recurse) {
  OrderedDict<std::string, Tensor> result;
  std::unordered_set<const void*> known;
  const auto collect = [&](const std::string& path, const Module& m) {
    for (const auto& item : m.*list)
      if (item->defined() && known.insert(item->unsafeGetTensorImpl()).second)
        result.insert(detail::joined_path(path, item.key()), *item);
  };
  if (recurse) module.apply(collect);
  else collect("", module);
  return result;
}

}  // namespace

void detail::refuse_empty_holder(const std::type_info& module) {
  throw Error(str("Accessing empty ModuleHolder\nit is one for ", type_name(module),
                  "\nhint: a holder that was made of nullptr is assigned before it is used"));
}

Module::Module() : parameters_("Parameter"), buffers_("Buffer"), children_("Submodule") {}

// While a module is destroyed, modules that die with it are queued: deep nesting must not exhaust the stack.
Module::~Module() {
  thread_local std::vector<std::shared_ptr<Module>>* waiting = nullptr;
  detail::ModuleScope::forget(*this);
  if (children_.is_empty()) return;
  if (waiting) {
    for (auto& child : children_) waiting->push_back(std::move(*child));
    return;
  }
  std::vector<std::shared_ptr<Module>> list;
  waiting = &list;
  for (auto& child : children_) list.push_back(std::move(*child));
  while (!list.empty()) {
    const std::shared_ptr<Module> next = std::move(list.back());
    list.pop_back();
  }
  waiting = nullptr;
}

Module::Nesting::Nesting() {
  ETUDE_CHECK(modules_deep < kMostNested, "maximum recursion depth exceeded\nmodules are more than ",
              kMostNested, " deep in each other\nhint: a module may be one of its own submodules");
  ++modules_deep;
}
Module::Nesting::~Nesting() { --modules_deep; }

// The type is known only after construction, so the name is looked up on demand and cached per type.
const std::string& Module::name() const noexcept {
  if (name_) return *name_;
  static std::mutex several_threads;
  static std::unordered_map<std::type_index, std::string> names;
  const std::type_info& type = typeid(*this);
  const std::lock_guard<std::mutex> lock(several_threads);
  std::string& known = names[type];
  if (known.empty()) known = detail::type_name(type);
  return known;
}

// --- Registration ---

Tensor& Module::register_parameter(std::string name, Tensor tensor, bool requires_grad) {
  check_name("Parameter", name);
  ETUDE_CHECK(!buffers_.contains(name), "attribute '", name,
              "' already exists\nit is registered as a buffer");
  ETUDE_CHECK(!parameters_.contains(name), "Parameter '", name, "' already defined");
  tensor = detail::Clone::registered(*this, name, std::move(tensor));
  if (tensor.defined()) tensor.set_requires_grad(requires_grad);
  else if (requires_grad)
    ETUDE_WARN(
        "An undefined tensor cannot require grad. Ignoring the `requires_grad=true` function parameter.");
  return parameters_.insert(std::move(name), std::move(tensor));
}

Tensor& Module::register_buffer(std::string name, Tensor tensor, bool persistent) {
  check_name("Buffer", name);
  ETUDE_CHECK(!parameters_.contains(name), "attribute '", name,
              "' already exists\nit is registered as a parameter");
  Tensor& buffer = buffers_.insert(name, std::move(tensor));
  if (!persistent) non_persistent_buffers_.push_back(std::move(name));
  return buffer;
}

void Module::add_child(std::string name, std::shared_ptr<Module> module) {
  check_name("Submodule", name);
  set_child(children_.insert(std::move(name), nullptr), std::move(module));
}

void Module::set_child(std::shared_ptr<Module>& child, std::shared_ptr<Module> module) {
  if (module) {
    module->is_registered_ = true;
    detail::ModuleScope::note_parent(*module, *this);
  }
  child = std::move(module);
}

detail::Construction::Construction() : around_(std::exchange(innermost_construction, this)) {}
detail::Construction::~Construction() { innermost_construction = around_; }

void detail::Construction::ends(const std::shared_ptr<Module>& module) {
  for (const auto& weak : members_) {
    const auto member = weak.lock();
    if (!member || member->is_registered_ || member->parameters().empty()) continue;
    ETUDE_WARN("a ", member->class_name(), " in ", module->class_name(), " is not registered with a module",
               "\nits parameters are neither listed, saved nor trained\nhint: register_module in the "
               "constructor, or std::make_shared if that is meant");
  }
  if (around_) around_->members_.push_back(module);
}

// --- State ---

// A parameter that a member still holds has at least two owners: the member and the list.
void Module::warn_of_lost_members(const std::string& path) const {
  if (!has_members()) return;
  for (const auto& item : parameters_)
    if (item->defined() && item->use_count() == 1)
      ETUDE_WARN("the parameter '", detail::joined_path(path, item.key()), "' of ", class_name(),
                 " is held by no member any more",
                 "\nwhat was assigned to its member is neither listed, saved nor trained by this "
                 "module\nhint: member = replace_parameter(\"",
                 item.key(), "\", tensor) ties weights");
}

OrderedDict<std::string, Tensor> Module::named_parameters(bool recurse) const {
#ifdef NDEBUG
  const bool looks = autograd::AnomalyMode::is_enabled();
#else
  const bool looks = true;
#endif
  const auto look = [](const std::string& path, const Module& m) { m.warn_of_lost_members(path); };
  if (looks && recurse) apply(look);
  else if (looks) look("", *this);
  return named_tensors(*this, &Module::parameters_, recurse);
}

OrderedDict<std::string, Tensor> Module::named_buffers(bool recurse) const {
  return named_tensors(*this, &Module::buffers_, recurse);
}

// --- The tree ---

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string& name_prefix,
                                                                        bool include_self) const {
  OrderedDict<std::string, std::shared_ptr<Module>> result;
  const auto collect = [&result](const std::string& path, const std::shared_ptr<Module>& module) {
    result.insert(path, module);
  };
  if (include_self) apply(collect, name_prefix);
  else apply_to_submodules(collect, name_prefix);
  return result;
}

OrderedDict<std::string, std::shared_ptr<Module>> Module::named_children() const {
  OrderedDict<std::string, std::shared_ptr<Module>> result;
  for (const auto& child : children_)
    if (*child) result.insert(child.key(), *child);
  return result;
}

void Module::apply(const ModuleApplyFunction& function) {
  apply([&function](const std::string&, Module& module) { function(module); });
}

void Module::apply(const ConstModuleApplyFunction& function) const {
  apply([&function](const std::string&, const Module& module) { function(module); });
}

void Module::apply(const NamedModuleApplyFunction& function, const std::string& name_prefix) {
  function(name_prefix, *this);
  apply_to_submodules([&function](const std::string& path,
                                  const std::shared_ptr<Module>& module) { function(path, *module); },
                      name_prefix);
}

void Module::apply(const ConstNamedModuleApplyFunction& function, const std::string& name_prefix) const {
  function(name_prefix, *this);
  apply_to_submodules([&function](const std::string& path,
                                  const std::shared_ptr<Module>& module) { function(path, *module); },
                      name_prefix);
}

void Module::apply(const ModulePointerApplyFunction& function) const {
  apply([&function](const std::string&, const std::shared_ptr<Module>& module) { function(module); });
}

void Module::apply(const NamedModulePointerApplyFunction& function, const std::string& name_prefix) const {
  const std::shared_ptr<const Module> self = weak_from_this().lock();
  ETUDE_CHECK(self,
              "It looks like you attempted to retrieve your top-level module as a shared_ptr, but it is not "
              "stored in a shared_ptr. Use std::make_shared<",
              name(),
              "> instead of creating your module on the stack, or alternatively do not try to access your "
              "top-level module at all by passing /*include_self=*/false to modules() or named_modules()");
  function(name_prefix, std::const_pointer_cast<Module>(self));
  apply_to_submodules(function, name_prefix);
}

void Module::apply_to_submodules(const NamedModulePointerApplyFunction& function,
                                 const std::string& name_prefix) const {
  const Nesting nesting;
  for (const auto& child : children_) {
    if (!*child) continue;
    const std::string path = detail::joined_path(name_prefix, child.key());
    function(path, *child);
    child->get()->apply_to_submodules(function, path);
  }
}

// --- Modes and conversions ---

bool Module::is_training() const noexcept { return is_training_ && !EvalMode::covers(*this); }

void Module::train(bool on) {
  const Nesting nesting;
  for (const auto& child : children_)
    if (*child) child->get()->train(on);
  is_training_ = on;
}

void Module::to(Dtype dtype, bool non_blocking) {
  ETUDE_CHECK_TYPE(isFloatingType(dtype),
                   "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=",
                   dtype, "\nhint: convert single tensors with Tensor::to");
  const Nesting nesting;
  for (const auto& child : children_)
    if (*child) child->get()->to(dtype, non_blocking);
  for (const Tensor& parameter : parameters(/*recurse=*/false)) {
    if (!parameter.is_floating_point()) continue;
    parameter.set_data(parameter.detach().to(dtype));
    if (parameter.grad().defined()) parameter.mutable_grad() = parameter.grad().detach().to(dtype);
  }
  for (const Tensor& buffer : buffers(/*recurse=*/false))
    if (buffer.is_floating_point()) buffer.set_data(buffer.detach().to(dtype));
}

void Module::to(Device, Dtype dtype, bool non_blocking) { to(dtype, non_blocking); }

// There is one device; constructing any other Device throws.
void Module::to(Device, bool) {}

void Module::zero_grad(bool set_to_none) {
  const Nesting nesting;
  for (const auto& child : children_)
    if (*child) child->get()->zero_grad(set_to_none);
  for (const Tensor& parameter : parameters(/*recurse=*/false)) {
    Tensor& grad = parameter.mutable_grad();
    if (!grad.defined()) continue;
    if (set_to_none) grad.reset();
    else grad = grad.detach().zero_();
  }
}

std::shared_ptr<Module> Module::clone(const optional<Device>&) const {
  throw Error(str("clone() has not been implemented for ", name(), ". Subclass etude::nn::Cloneable<", name(),
                  "> instead of etude::nn::Module to inherit the ability to clone."));
}

void Module::clear_state() {
  parameters_.clear();
  buffers_.clear();
  children_.clear();
  non_persistent_buffers_.clear();
}

void Module::copy_state(const Module& from, const optional<Device>& device) {
  if (innermost_construction) from.is_registered_ = true;
  copy_tensors(from.parameters_, parameters_, "parameters", "register_parameter");
  copy_tensors(from.buffers_, buffers_, "buffers", "register_buffer");
  check_same_number(from.children_.size(), children_.size(), "child modules", "register_module");
  for (const auto& child : from.children_)
    if (*child) children_[child.key()]->clone_(**child, device);
}

void Module::clone_(Module&, const optional<Device>&) { Module::clone(); }

void Module::note_children() const {
  for (const auto& child : children_)
    if (*child) detail::ModuleScope::note_parent(**child, *this);
}

}  // namespace etude::nn
