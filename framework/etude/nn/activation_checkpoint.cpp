#include "etude/nn/activation_checkpoint.h"

#include <algorithm>

#include "etude/autograd/autograd.h"
#include "etude/autograd/detail/node.h"
#include "etude/core/generator.h"
#include "etude/core/restoring.h"
#include "etude/core/warning.h"
#include "etude/ops/autocast.h"

namespace etude::nn::utils {
namespace detail {
namespace {

using autograd::AutogradContext;

struct Autocast {
  bool enabled = autocast::is_cpu_enabled(), caches = autocast::is_autocast_cache_enabled();
  ScalarType dtype = autocast::get_autocast_cpu_dtype();
};

// Applies autocast settings, and restores the current ones at its end.
struct AutocastScope {
  explicit AutocastScope(const Autocast& inside)
      : enabled(inside.enabled), dtype(inside.dtype), caches(inside.caches) {
    autocast::increment_nesting();
  }
  ~AutocastScope() {
    if (autocast::decrement_nesting() == 0) autocast::clear_cache();
  }
  etude::detail::Restoring<autocast::is_cpu_enabled, autocast::set_cpu_enabled> enabled;
  etude::detail::Restoring<autocast::get_autocast_cpu_dtype, autocast::set_autocast_cpu_dtype> dtype;
  etude::detail::Restoring<autocast::is_autocast_cache_enabled, autocast::set_autocast_cache_enabled> caches;
};

variable_list defined_of(const variable_list& list) {
  variable_list tensors;
  std::copy_if(list.begin(), list.end(), std::back_inserter(tensors),
               [](const Tensor& t) { return t.defined(); });
  return tensors;
}

// Runs the function again during backward, and then backward through this second run.
struct SecondRun {
  std::function<variable_list(variable_list)> function;
  std::vector<bool> is_tensor;  // for each input
  Tensor random;                // generator state of the first run; undefined if it need not be restored
  Autocast autocast;

  variable_list outputs(const variable_list& inputs) const {
    optional<etude::detail::KeepRandomState> own_stream;
    if (random.defined()) {
      own_stream.emplace();
      default_generator().set_state(random);
    }
    const EnableGradGuard on;
    const AutocastScope scope(autocast);
    return defined_of(function(inputs));
  }

  variable_list gradients(const variable_list& saved, const variable_list& dy) const {
    ETUDE_CHECK(!autograd::detail::walk_is_restricted(),
                "Checkpointing is not compatible with .grad() or when an `inputs` parameter is passed to "
                ".backward(). Please use .backward() and do not pass its `inputs` argument.");
    variable_list inputs, detached;
    for (const bool is : is_tensor) {
      if (is) {
        const Tensor& t = saved[detached.size()];
        detached.push_back(t.detach().requires_grad_(t.requires_grad()));
      }
      inputs.push_back(is ? detached.back() : Tensor());
    }
    variable_list roots, seeds;
    const variable_list y = outputs(inputs);
    ETUDE_CHECK_INDEX(y.size() <= dy.size(), "tuple index out of range\ncheckpoint: the second run returned ",
                      y.size(), " tensors, the first ", dy.size());
    for (size_t i = 0; i < y.size(); ++i)
      if (y[i].requires_grad()) {
        roots.push_back(y[i]);
        seeds.push_back(dy[i]);
      }
    ETUDE_CHECK(!roots.empty(), "none of output has requires_grad=True, this checkpoint() is not necessary");
    autograd::backward(roots, seeds);
    for (Tensor& t : detached) t = t.grad();
    return detached;
  }
};

}  // namespace

CheckpointedCall::CheckpointedCall(const variable_list& inputs,
                                   std::function<variable_list(variable_list)> again,
                                   const CheckpointOptions& options) {
  const variable_list tensors = defined_of(inputs);
  if (std::none_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return t.requires_grad(); }))
    ETUDE_WARN_ONCE("None of the inputs have requires_grad=True. Gradients will be None");
  const auto run = std::make_shared<SecondRun>();
  run->function = std::move(again);
  for (const Tensor& t : inputs) run->is_tensor.push_back(t.defined());
  if (options.preserve_rng_state()) run->random = default_generator().get_state();
  call_ = std::make_unique<autograd::detail::FunctionCall>(
      "CheckpointFunctionBackward", [run](AutogradContext* context, const variable_list& dy) {
        return run->gradients(context->get_saved_variables(), dy);
      });
  for (const Tensor& t : tensors) call_->argument(t);
  call_->context()->save_for_backward(tensors);
}

void CheckpointedCall::finish(variable_list& outputs) {
  variable_list tensors = defined_of(outputs);
  call_->finish(tensors);
  auto next = tensors.begin();
  for (Tensor& t : outputs)
    if (t.defined()) t = *next++;
}

}  // namespace detail

Tensor checkpoint_sequential(std::vector<AnyModule> modules, int64_t segments, Tensor input,
                             const CheckpointOptions& options) {
  const auto count = static_cast<int64_t>(modules.size());
  ETUDE_CHECK_VALUE(segments > 0 && segments <= count, "checkpoint_sequential: expected from 1 to ", count,
                    " segments, one per module at most, but got ", segments);
  const auto run = [&modules](int64_t first, int64_t last) {
    return [part = std::vector<AnyModule>(modules.data() + first, modules.data() + last)](Tensor x) mutable {
      for (AnyModule& module : part) x = module.forward(x);
      return x;
    };
  };
  const int64_t length = count / segments;
  for (int64_t i = 0; i + 1 < segments; ++i)
    input = checkpoint(options, run(i * length, (i + 1) * length), input);
  return run((segments - 1) * length, count)(input);
}

}  // namespace etude::nn::utils
