#pragma once

#include "etude/autograd/function.h"
#include "etude/ops/ops.h"
#include "support/leaf.h"

namespace etude {

/// e^x in place; the gradient is computed from the output.
struct ExpInPlace : autograd::Function<ExpInPlace> {
  static Tensor forward(autograd::AutogradContext* ctx, Tensor x) {
    x.exp_();
    ctx->mark_dirty({x});
    ctx->save_for_backward({x});
    return x;
  }
  static autograd::variable_list backward(autograd::AutogradContext* ctx, autograd::variable_list dy) {
    return {dy[0] * ctx->get_saved_variables()[0]};
  }
};

}  // namespace etude
