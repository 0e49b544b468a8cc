#pragma once

#include <functional>
#include <memory>

#include "etude/optim/optimizer.h"

namespace etude::optim {

namespace detail {

ETUDE_API void save_optimizer(etude::serialize::OutputArchive& archive, const Optimizer& optimizer);
ETUDE_API void load_optimizer(etude::serialize::InputArchive& archive, Optimizer& optimizer,
                              const std::function<std::unique_ptr<OptimizerParamState>()>& make_state,
                              bool states_like_parameters);

}  // namespace detail

/// For save() of a custom optimizer: `serialize<MyParamState, MyOptions>(archive, *this)` (torch::optim::serialize).
template <typename ParamState, typename Options>
void serialize(etude::serialize::OutputArchive& archive, const Optimizer& optimizer) {
  detail::save_optimizer(archive, optimizer);
}
/// For load() of a custom optimizer.
template <typename ParamState, typename Options>
void serialize(etude::serialize::InputArchive& archive, Optimizer& optimizer) {
  detail::load_optimizer(
      archive, optimizer, [] { return std::make_unique<ParamState>(); }, /*states_like_parameters=*/false);
}

}  // namespace etude::optim
