#include "etude/flatten.h"

namespace etude::nn {

std::string FlattenImpl::extra_repr() const {
  return str("start_dim=", options.start_dim(), ", end_dim=", options.end_dim());
}

}  // namespace etude::nn
