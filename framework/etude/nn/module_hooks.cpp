// Hooks of modules. Backward hooks need two nodes in the graph, which pass gradients on unchanged: one on the outputs of
// forward, which notes their gradients, and one on its inputs, which backward reaches later and which calls the hooks.

#include "etude/nn/module_hooks.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "etude/autograd/detail/node.h"
#include "etude/autograd/function.h"
#include "etude/nn/module.h"
#include "etude/ops/ops.h"

namespace etude::nn {

namespace detail {

struct ModuleHooks {
  struct Hook {
    int64_t id;
    std::shared_ptr<ModuleHook> call;  // shared with copies of the module, and with calls that run
  };
  std::vector<Hook> of_kind[3];
};

}  // namespace detail

void RemovableHandle::remove() const {
  const auto hooks = hooks_.lock();
  if (!hooks) return;
  for (auto& list : hooks->of_kind)
    list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& hook) { return hook.id == id_; }),
               list.end());
}

namespace detail {

HookList::HookList(const HookList& other)
    : hooks_(other.hooks_ ? std::make_shared<ModuleHooks>(*other.hooks_) : nullptr) {}

HookList& HookList::operator=(const HookList& other) {
  if (this != &other) hooks_ = HookList(other).hooks_;
  return *this;
}

RemovableHandle HookList::add(HookKind kind, ModuleHook hook) {
  static std::atomic<int64_t> next_id{0};
  if (!hooks_) hooks_ = std::make_shared<ModuleHooks>();
  const int64_t id = next_id++;
  hooks_->of_kind[static_cast<size_t>(kind)].push_back({id, std::make_shared<ModuleHook>(std::move(hook))});
  return {hooks_, id};
}

void refuse_tensor(const std::type_info& type) {
  throw TypeError(str("a hook put a Tensor in the place of a value of type ", type_name(type),
                      "\nhint: where no tensor was, the list that a hook returns has an undefined one"));
}

void refuse_result(const std::type_info& type) {
  throw TypeError(str("hooks and checkpoints find no tensors in a result of type ", type_name(type),
                      "\nhint: forward may return a Tensor, a tuple with some, or a std::vector of them"));
}

namespace {

thread_local CallListener* innermost_listener = nullptr;

// Calls f with the value in `result` if its type is one of the known types, and returns whether it is.
template <typename F>
bool with_any_tensors(AnyValue& result, const F& f) {
  const auto matches = [&](auto* value) {
    if (value) f(*value);
    return value != nullptr;
  };
  return matches(result.try_get<Tensor>()) || matches(result.try_get<variable_list>()) ||
         matches(result.try_get<std::tuple<Tensor, Tensor>>()) ||
         matches(result.try_get<std::tuple<Tensor, Tensor, Tensor>>()) ||
         matches(result.try_get<std::pair<Tensor, Tensor>>());
}
template <typename F>
void with_tensors(AnyValue& result, const F& f) {
  if (!with_any_tensors(result, f)) refuse_result(result.type_info());
}

using autograd::AutogradContext;
using SharedHooks = std::vector<std::shared_ptr<ModuleHook>>;

// A copy of the list of hooks, since a hook may add or remove hooks while it runs.
SharedHooks hooks_of_kind(const ModuleHooks* hooks, HookKind kind) {
  SharedHooks list;
  if (!hooks) return list;
  for (const auto& hook : hooks->of_kind[static_cast<size_t>(kind)]) list.push_back(hook.call);
  return list;
}

// Replaces the list that a hook saw by the list that it returned, if any.
void replace(variable_list& list, optional<variable_list> replaced, const char* what, const Module& module) {
  if (!replaced) return;
  ETUDE_CHECK(replaced->size() == list.size(), what, ", got ", replaced->size(), ", but expected ",
              list.size(), "\nthe module is a ", module.name());
  list = std::move(*replaced);
}

}  // namespace

// The state that the two nodes of one call share.
struct BackwardCall {
  std::shared_ptr<Module> owner;  // keeps the module alive if a shared_ptr owns it
  Module* module;
  SharedHooks hooks;
  size_t count = 0;                                // of inputs
  bool is_recorded = false;                        // the inputs
  optional<variable_list> grad_outputs = nullopt;  // from the node of the outputs to that of the inputs

  variable_list call(variable_list grad_inputs) const {
    for (const auto& hook : hooks)
      replace(grad_inputs, (*hook)(*module, grad_inputs, *grad_outputs),
              "Backward hook returned an invalid number of grad_input", *module);
    return grad_inputs;
  }
  // For a call with no input in the graph: hooks see the gradients of the outputs and can change nothing.
  void call_without_inputs() {
    for (const auto& hook : hooks) {
      const optional<variable_list> replaced = (*hook)(*module, variable_list(count), *grad_outputs);
      ETUDE_CHECK(
          !replaced ||
              std::none_of(replaced->begin(), replaced->end(), [](const Tensor& t) { return t.defined(); }),
          "Backward hook for Modules where no input requires gradient should always return None or None "
          "for all gradients.");
    }
    grad_outputs.reset();
  }
};

namespace {

// A list of `count` tensors: the values at their places, the others undefined.
variable_list spread(const std::vector<size_t>& places, const variable_list& values, size_t count) {
  variable_list list(count);
  for (size_t k = 0; k < places.size(); ++k) list[places[k]] = values[k];
  return list;
}

// Sends the tensors of the list through a node if they are recorded, and returns whether they are. `backward` gets and returns a
// list with the gradient of each tensor at its place.
bool pass_through(variable_list& list, bool materialize,
                  const std::function<variable_list(variable_list)>& backward) {
  if (!autograd::detail::recording(TensorList(list))) return false;
  std::vector<size_t> places;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].defined()) places.push_back(i);
  autograd::detail::FunctionCall call("BackwardHookFunctionBackward",
                                      [=, count = list.size()](AutogradContext*, const variable_list& dy) {
                                        const variable_list all = backward(spread(places, dy, count));
                                        variable_list gradients;
                                        for (const size_t place : places) gradients.push_back(all[place]);
                                        return gradients;
                                      });
  variable_list tensors, without;
  for (const size_t place : places) {
    call.argument(list[place]);
    tensors.push_back(list[place]);
    if (!list[place].requires_grad()) without.push_back(list[place]);
  }
  AutogradContext* context = call.context();
  context->mark_non_differentiable(without);
  context->set_materialize_grads(materialize);
  call.finish(tensors);
  list = spread(places, tensors, list.size());
  return true;
}

void check_replaced_gradient(const Tensor& now, const Tensor& before) {
  if (!now.defined() || !before.defined()) return;
  ETUDE_CHECK(now.scalar_type() == before.scalar_type(),
              "hook 'hook' has changed the type of value (was torch.", toString(before.scalar_type()),
              "Tensor got torch.", toString(now.scalar_type()), "Tensor)");
  ETUDE_CHECK(now.sizes() == before.sizes(),
              "hook 'hook' has changed the size of value\nreceived a gradient of sizes ", before.sizes(),
              ", returned one of sizes ", now.sizes());
}

void hook_inputs(const std::shared_ptr<BackwardCall>& shared, variable_list& inputs) {
  shared->count = inputs.size();
  shared->is_recorded = pass_through(inputs, /*materialize=*/true, [=](variable_list dx) {
    if (!shared->grad_outputs) return dx;  // gradients that come from elsewhere than the outputs
    variable_list replaced = shared->call(dx);
    shared->grad_outputs.reset();
    for (size_t i = 0; i < dx.size(); ++i) check_replaced_gradient(replaced[i], dx[i]);
    return replaced;
  });
}

void hook_outputs(const std::shared_ptr<BackwardCall>& shared, variable_list& outputs) {
  variable_list nothing;  // zeros of the sizes of the outputs, in the memory of one number each
  for (const Tensor& t : outputs)
    nothing.push_back(t.defined() ? zeros({}, t.options()).expand(t.sizes()) : Tensor());
  pass_through(outputs, /*materialize=*/false, [=](variable_list dy) {
    shared->grad_outputs = dy;
    if (!shared->is_recorded) shared->call_without_inputs();
    for (size_t i = 0; i < dy.size(); ++i)
      if (!dy[i].defined()) dy[i] = nothing[i];
    return dy;
  });
}

}  // namespace

variable_list tensors_of_any(AnyValue& result) {
  variable_list list;
  with_tensors(result, [&](auto& value) { list = tensors_of(value); });
  return list;
}

etude::detail::TensorsIn tensors_in_any(AnyValue& result) {
  etude::detail::TensorsIn tensors(0);
  with_any_tensors(result, [&](auto& value) { tensors = value; });
  return tensors;
}

void put_into_any(AnyValue& result, variable_list list) {
  with_tensors(result, [&](auto& value) { put_into(value, std::move(list)); });
}

CallListener::CallListener() : earlier_(std::exchange(innermost_listener, this)) {}
CallListener::~CallListener() { innermost_listener = earlier_; }

CallListener* listener_of(const Module& module) {
  return innermost_listener && innermost_listener->wants(module) ? innermost_listener : nullptr;
}

struct HookedCall::State {
  ~State() {
    if (listener) listener->ends(module);
  }
  Module& module;
  std::shared_ptr<ModuleHooks> hooks;
  CallListener* listener;                  // null if nobody listens
  std::shared_ptr<BackwardCall> backward;  // null without hooks for backward
};

HookedCall::HookedCall(Module& module, variable_list inputs_) : inputs(std::move(inputs_)) {
  state_ = std::unique_ptr<State>(new State{module, module.hooks_.hooks_, listener_of(module), nullptr});
  if (state_->listener) state_->listener->before(module, inputs);
  SharedHooks backward = hooks_of_kind(state_->hooks.get(), HookKind::kFullBackward);
  for (const auto& hook : hooks_of_kind(state_->hooks.get(), HookKind::kForwardPre))
    replace(inputs, (*hook)(module, inputs, {}), "Forward pre-hook returned an invalid number of inputs",
            module);
  if (!backward.empty()) {
    state_->backward = std::make_shared<BackwardCall>(
        BackwardCall{module.weak_from_this().lock(), &module, std::move(backward)});
    hook_inputs(state_->backward, inputs);
  }
}
HookedCall::~HookedCall() = default;

bool HookedCall::sees_result() const {
  return state_->backward || state_->listener ||
         (state_->hooks && !state_->hooks->of_kind[static_cast<size_t>(HookKind::kForward)].empty());
}

variable_list HookedCall::outputs(variable_list list) {
  if (state_->listener) state_->listener->after(state_->module, inputs, list);
  for (const auto& hook : hooks_of_kind(state_->hooks.get(), HookKind::kForward))
    replace(list, (*hook)(state_->module, inputs, list), "Forward hook returned an invalid number of outputs",
            state_->module);
  if (state_->backward) hook_outputs(state_->backward, list);
  return list;
}

}  // namespace detail
}  // namespace etude::nn
