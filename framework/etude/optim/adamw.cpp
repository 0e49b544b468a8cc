#include "etude/optim/adamw.h"

#include <utility>

#include "etude/optim/detail/adam_update.h"

namespace etude {
namespace optim {

bool operator==(const AdamWOptions& a, const AdamWOptions& b) { return detail::equal_adam_options(a, b); }
bool operator==(const AdamWParamState& a, const AdamWParamState& b) {
  return detail::equal_adam_states(a, b);
}

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamWOptions>(defaults)) {
  detail::check_adam_options(defaults);
}

AdamW::AdamW(std::vector<Tensor> params, AdamWOptions defaults)
    : AdamW(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}

AdamW::~AdamW() = default;

Tensor AdamW::step(LossClosure closure) {
  return detail::step<AdamWOptions>(
      "AdamW", param_groups_, closure, [this](const Tensor& parameter, const AdamWOptions& options) {
        const detail::AdamDecay decay{/*penalty=*/0, /*keep=*/1 - options.lr() * options.weight_decay()};
        detail::adam_update("AdamW", parameter, options, decay,
                            detail::state_of<AdamWParamState>(state_, parameter));
      });
}

}  // namespace optim
}  // namespace etude
