#include "etude/linear.h"

#include <cmath>

namespace etude::nn {

void LinearImpl::reset() {
  detail::register_weight(*this, {options.out_features(), options.in_features()});
  bias =
      register_parameter("bias", options.bias() ? empty({options.out_features()}) : Tensor(), options.bias());
  if (weight.defined()) reset_parameters();
}

void LinearImpl::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));  // with this slope the bound is 1 / sqrt(in_features)
  if (!bias.defined()) return;
  const auto fan_in = static_cast<double>(options.in_features());
  const double bound = fan_in > 0 ? 1 / std::sqrt(fan_in) : 0;
  init::uniform_(bias, -bound, bound);
}

}  // namespace etude::nn
