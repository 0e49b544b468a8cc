#include "etude/optim/adam.h"

#include <utility>

#include "etude/optim/detail/adam_update.h"
#include "etude/optim/named_values.h"

namespace etude {
namespace optim {

bool operator==(const AdamOptions& a, const AdamOptions& b) { return detail::equal_adam_options(a, b); }
bool operator==(const AdamParamState& a, const AdamParamState& b) { return detail::equal_adam_states(a, b); }

void AdamOptions::name_values(NamedValues& values) {
  values("lr", lr());
  values("betas", betas());
  values("eps", eps());
  values("weight_decay", weight_decay());
  values("amsgrad", amsgrad());
}

void AdamParamState::name_values(NamedValues& values) {
  values("step", step());
  values("exp_avg", exp_avg());
  values("exp_avg_sq", exp_avg_sq());
  values("max_exp_avg_sq", max_exp_avg_sq());
}

Adam::Adam(std::vector<OptimizerParamGroup> param_groups, AdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdamOptions>(defaults)) {
  detail::check_adam_options(defaults);
}

Adam::Adam(std::vector<Tensor> params, AdamOptions defaults)
    : Adam(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(params))}, defaults) {}

Adam::~Adam() = default;

std::unique_ptr<OptimizerParamState> Adam::make_state() const { return std::make_unique<AdamParamState>(); }

Tensor Adam::step(LossClosure closure) {
  return detail::step<AdamOptions>(
      "Adam", param_groups_, closure, [this](const Tensor& parameter, const AdamOptions& options) {
        const detail::AdamDecay decay{/*penalty=*/options.weight_decay(), /*keep=*/1};
        detail::adam_update("Adam", parameter, options, decay,
                            detail::state_of<AdamParamState>(state_, parameter));
      });
}

}  // namespace optim
}  // namespace etude
