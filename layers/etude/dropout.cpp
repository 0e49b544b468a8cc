#include "etude/dropout.h"

namespace etude::nn {

void DropoutImpl::reset() {
  ETUDE_CHECK_VALUE(0 <= options.p() && options.p() <= 1,
                    "dropout probability has to be between 0 and 1, but got ", options.p(),
                    "\nhint: p is the share of elements that is dropped; 0.1 keeps nine of ten");
}

Tensor DropoutImpl::forward(Tensor input) {
  return functional::dropout(
      input,
      functional::DropoutFuncOptions().p(options.p()).training(is_training()).inplace(options.inplace()));
}

}  // namespace etude::nn
