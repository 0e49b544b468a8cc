#include "etude/optim/optimizer.h"

#include <algorithm>
#include <sstream>

#include "etude/core/detail/tensor_impl.h"
#include "etude/core/error.h"
#include "etude/core/warning.h"

namespace etude::optim {

namespace {

[[noreturn]] void refuse_clone(const char* what) {
  throw Error(str("clone() has not been implemented for etude::optim::Optimizer", what,
                  ". Subclass etude::optim::OptimizerCloneable", what, "<YourOptimizer", what,
                  "> instead of etude::optim::Optimizer", what, " to inherit the ability to clone."));
}

[[noreturn]] void refuse_lr(const char* method) {
  throw Error(str("double ", method,
                  "() has not been overridden and implemented in subclass of etude::optim::OptimizerOptions, "
                  "you must override it in your subclass."));
}

}  // namespace

std::unique_ptr<OptimizerParamState> OptimizerParamState::clone() const { refuse_clone("ParamState"); }

std::unique_ptr<OptimizerOptions> OptimizerOptions::clone() const { refuse_clone("Options"); }
double OptimizerOptions::get_lr() const { refuse_lr("get_lr"); }
void OptimizerOptions::set_lr(double) { refuse_lr("set_lr"); }

void detail::check_not_negative(const char* what, double value) {
  ETUDE_CHECK_VALUE(value >= 0, "Invalid ", what, ": ", value);
}
void detail::check_beta(int index, double value) {
  ETUDE_CHECK_VALUE(0 <= value && value < 1, "Invalid beta parameter at index ", index, ": ", value);
}

const OptimizerOptions& OptimizerParamGroup::options() const {
  ETUDE_CHECK(has_options(),
              "Expected has_options() to be true, but got false.\nhint: add_param_group gives a group the "
              "optimizer's options, set_options others");
  return *options_;
}

Optimizer::Optimizer(std::vector<OptimizerParamGroup> param_groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
  for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
  const auto is_empty = [](const OptimizerParamGroup& group) { return group.params().empty(); };
  if (std::all_of(param_groups_.begin(), param_groups_.end(), is_empty))
    ETUDE_WARN("optimizer got an empty parameter list",
               "\nhint: has the model registered its parameters and submodules, with register_parameter and "
               "register_module?");
}

const OptimizerOptions& Optimizer::defaults() const {
  ETUDE_CHECK(defaults_, "the optimizer has no default options", "\nit was moved from, or made without any",
              "\nhint: call step() of the optimizer that it was moved to");
  return *defaults_;
}

void Optimizer::zero_grad(bool set_to_none) {
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& parameter : group.params()) {
      Tensor& grad = parameter.mutable_grad();
      if (!grad.defined()) continue;
      if (set_to_none) grad.reset();
      else grad = grad.detach().zero_();
    }
}

std::vector<Tensor> Optimizer::new_parameters(const std::vector<Tensor>& parameters) const {
  std::vector<Tensor> params;
  for (const Tensor& parameter : parameters) {
    ETUDE_CHECK_TYPE(
        parameter.defined(),
        "optimizer can only optimize Tensors, but one of the params is NoneType\nit is undefined");
    ETUDE_CHECK_VALUE(parameter.is_leaf(), "can't optimize a non-leaf Tensor\nreceived the result of ",
                      parameter.grad_fn_name());
    for (const OptimizerParamGroup& group : param_groups_)
      ETUDE_CHECK_VALUE(!etude::detail::holds(group.params(), parameter),
                        "some parameters appear in more than one parameter group");
    if (!etude::detail::holds(params, parameter)) params.push_back(parameter);
    else
      ETUDE_WARN("optimizer contains a parameter group with duplicate parameters", "\na parameter of sizes ",
                 parameter.sizes(), " is listed twice, and is taken once");
  }
  return params;
}

void Optimizer::add_param_group(const OptimizerParamGroup& param_group) {
  param_groups_.emplace_back(new_parameters(param_group.params()),
                             param_group.has_options() ? param_group.options().clone() : defaults().clone());
}

void Optimizer::add_parameters(const std::vector<Tensor>& parameters) {
  ETUDE_WARN("Optimizer::add_parameters() will be removed in PyTorch 1.6",
             "\nhint: Etude keeps it; param_groups()[0].params() is the list, and add_param_group adds one");
  ETUDE_CHECK(!param_groups_.empty(), "the optimizer has no group of parameters",
              "\nhint: add_param_group makes one");
  const std::vector<Tensor> added = new_parameters(parameters);
  std::vector<Tensor>& params = param_groups_[0].params();
  params.insert(params.end(), added.begin(), added.end());
}

const std::vector<Tensor>& Optimizer::parameters() const {
  ETUDE_WARN("Optimizer::parameters() will be removed in PyTorch 1.6",
             "\nhint: Etude keeps it; param_groups()[0].params() is the same list");
  ETUDE_CHECK(!param_groups_.empty(), "the optimizer has no group of parameters");
  return param_groups_[0].params();
}

size_t Optimizer::size() const {
  ETUDE_WARN("Optimizer::size() will be removed in PyTorch 1.6",
             "\nhint: Etude keeps it; param_groups() holds all parameters");
  size_t count = 0;
  for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
  return count;
}

ParamKey::ParamKey(const std::string& text) : impl_(nullptr) {
  void* impl = nullptr;
  std::istringstream(text) >> impl;
  impl_ = impl;
  ETUDE_CHECK(std::string(*this) == text, "the state of a parameter has no key ", text,
              "\nhint: Optimizer::state_key(parameter), or parameter.unsafeGetTensorImpl()");
}

ParamKey::operator std::string() const { return guts::to_string(impl_); }

}  // namespace etude::optim
