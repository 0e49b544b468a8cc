#include "etude/identity.h"

namespace etude {
namespace nn {

void IdentityImpl::reset() {}

Tensor IdentityImpl::forward(const Tensor& input) { return input; }

}  // namespace nn
}  // namespace etude
