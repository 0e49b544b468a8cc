// What custom functions that write in place are refused, where LibTorch makes a leaf something else.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/autograd/function.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AutogradContext;
using autograd::Function;
using autograd::variable_list;

namespace {

Tensor leaf(const etude::detail::TensorLiteral& values) {
  return etude::tensor(values, TensorOptions(kDouble).requires_grad(true));
}

// e^x in place, from its own output.
struct ExpInPlace : Function<ExpInPlace> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.exp_();
    ctx->mark_dirty({x});
    ctx->save_for_backward({x});
    return x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list dy) {
    return {dy[0] * ctx->get_saved_variables()[0]};
  }
};

}  // namespace

TEST_SUITE("function in place, beyond LibTorch") {
  TEST_CASE("a view of a leaf is not written") {
    CHECK(refusal([] {
            ExpInPlace::apply(leaf({1.0, 2.0})[0]);
          }) ==
          "Error: a view of a leaf Variable that requires grad is being used in an in-place operation.");
  }
}
