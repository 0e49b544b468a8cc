#include "etude/nn/any_module.h"

#include <algorithm>

namespace etude::nn {

void detail::refuse_argument(size_t index, const std::type_info& expected, const std::type_info& received) {
  throw TypeError(str("Expected argument #", index, " to be of type ", type_name(expected),
                      ", but received value of type ", type_name(received)));
}

AnyModule AnyModule::clone(optional<Device> device) const {
  AnyModule copy = *this;
  if (module_) copy.module_ = module_->clone(device);
  return copy;
}

AnyValue AnyModule::any_forward(std::vector<AnyValue> args) {
  check_not_empty("forward");
  detail::ModuleScope scope(*module_);
  try {
    const bool is_hooked = module_->has_hooks() || detail::listener_of(*module_);
    AnyValue result = is_hooked ? call_with_hooks(std::move(args)) : call_(*this, std::move(args));
    if (scope.is_heard()) scope.returns(detail::tensors_in_any(result));
    return result;
  } catch (Error& error) {
    scope.name_in(error);
    throw;
  }
}

AnyValue AnyModule::call_with_hooks(std::vector<AnyValue> args) {
  autograd::variable_list inputs;
  for (AnyValue& value : args) {
    const Tensor* t = value.try_get<Tensor>();
    inputs.push_back(t ? *t : Tensor());
  }
  detail::HookedCall hooked(*module_, std::move(inputs));
  for (size_t i = 0; i < args.size(); ++i) {
    Tensor* t = args[i].try_get<Tensor>();
    if (t) *t = hooked.inputs[i];
    else if (hooked.inputs[i].defined()) detail::refuse_tensor(args[i].type_info());
  }
  AnyValue result = call_(*this, std::move(args));
  hooked.finish(result);
  return result;
}

std::shared_ptr<Module> AnyModule::ptr() const {
  check_not_empty("ptr");
  return module_;
}

const std::type_info& AnyModule::type_info() const {
  check_not_empty("type_info");
  return *type_;
}

void AnyModule::check_not_empty(const char* method) const {
  ETUDE_CHECK(module_, "Cannot call ", method, "() on an empty AnyModule");
}

void AnyModule::check_type(const std::type_info& asked) const {
  ETUDE_CHECK(asked == *type_, "Attempted to cast module of type ", detail::type_name(*type_), " to type ",
              detail::type_name(asked));
}

void AnyModule::complete(Values& args, size_t expected) const {
  const auto defaults = module_->forward_default_arguments();
  const std::string name = detail::type_name(*type_);
  if (defaults.empty()) {
    const std::string hint = " If " + name +
                             "'s forward() method has default arguments, please make sure the forward() "
                             "method is declared with a corresponding `FORWARD_HAS_DEFAULT_ARGS` macro.";
    ETUDE_CHECK(args.size() == expected, name, "'s forward() method expects ", expected,
                " argument(s), but received ", args.size(), ".", args.size() < expected ? hint : "");
    return;
  }

  const size_t required = expected - std::min(expected, defaults.size());
  ETUDE_CHECK(required <= args.size() && args.size() <= expected, name,
              "'s forward() method expects at least ", required, " argument(s) and at most ", expected,
              " argument(s), but received ", args.size(), ".");
  while (args.size() < expected) {
    const auto next =
        std::find_if(defaults.begin(), defaults.end(), [&](const auto& d) { return d.index == args.size(); });
    ETUDE_CHECK(next != defaults.end(), name, "'s FORWARD_HAS_DEFAULT_ARGS names no value for argument #",
                args.size());
    args.push_back(next->value);
  }
}

}  // namespace etude::nn
