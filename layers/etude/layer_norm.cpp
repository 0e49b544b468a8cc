#include "etude/layer_norm.h"

namespace etude::nn {

void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  weight = register_parameter("weight", affine ? etude::empty(options.normalized_shape()) : Tensor(), affine);
  bias = register_parameter("bias", affine ? etude::empty(options.normalized_shape()) : Tensor(), affine);
  reset_parameters();
}

Tensor LayerNormImpl::forward(const Tensor& input) {
  return functional::layer_norm(input, functional::LayerNormFuncOptions(options.normalized_shape())
                                           .weight(weight)
                                           .bias(bias)
                                           .eps(options.eps()));
}

std::string LayerNormImpl::extra_repr() const {
  return etude::detail::python_str(etude::detail::python_tuple(options.normalized_shape()),
                                   ", eps=", options.eps(),
                                   ", elementwise_affine=", options.elementwise_affine());
}

}  // namespace etude::nn
