#include "etude/flatten.h"

namespace etude {
namespace nn {

void FlattenImpl::reset() {}

Tensor FlattenImpl::forward(const Tensor& input) {
  return input.flatten(options.start_dim(), options.end_dim());
}

std::string FlattenImpl::extra_repr() const {
  return str("start_dim=", options.start_dim(), ", end_dim=", options.end_dim());
}

}  // namespace nn
}  // namespace etude
