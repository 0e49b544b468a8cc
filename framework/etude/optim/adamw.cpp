#include "etude/optim/adamw.h"

#include <utility>

#include "etude/optim/detail/adam_update.h"
#include "etude/optim/named_values.h"

namespace etude {
namespace optim {

bool operator==(const AdamWOptions& a, const AdamWOptions& b) { return detail::equal_adam_options(a, b); }
bool operator==(const AdamWParamState& a, const AdamWParamState& b) {
  return detail::equal_adam_states(a, b);
}

void AdamWOptions::name_values(NamedValues& values) {
  values("lr", lr());
  values("betas", betas());
  values("eps", eps());
  values("weight_decay", weight_decay());
  values("amsgrad", amsgrad());
}

void AdamWParamState::name_values(NamedValues& values) {
  values("step", step());
  values("exp_avg", exp_avg());
  values("exp_avg_sq", exp_avg_sq());
  values("max_exp_avg_sq", max_exp_avg_sq());
}

AdamW::AdamW(std::vector<OptimizerParamGroup> param_groups, AdamWOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamWOptions>(defaults)) {
  detail::check_adam_options(defaults);
}

AdamW::AdamW(std::vector<Tensor> params, AdamWOptions defaults)
    : AdamW(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}

AdamW::~AdamW() = default;

std::unique_ptr<OptimizerParamState> AdamW::make_state() const { return std::make_unique<AdamWParamState>(); }

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
