// The errors of custom functions that are written wrongly.
#include "etude/autograd/function.h"

#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("custom functions, mistakes") {
  namespace {

  struct ForgetsTheNumber : autograd::Function<ForgetsTheNumber> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x, double factor) { return x * factor; }
    static autograd::variable_list backward(autograd::AutogradContext*, autograd::variable_list dy) {
      return {dy[0]};
    }
  };
  struct SavesNothing : autograd::Function<SavesNothing> {
    static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x * x; }
    static autograd::variable_list backward(autograd::AutogradContext* context, autograd::variable_list dy) {
      return {dy[0] * 2 * context->get_saved_variables()[0]};
    }
  };

  Tensor leaf() { return etude::ones({2}).set_requires_grad(true); }

  }  // namespace

  TEST_CASE("a gradient that is missing for an argument that is not a tensor") {
    const std::string lines = refusal_lines([] { ForgetsTheNumber::apply(leaf(), 2.0).sum().backward(); });
    CHECK(lines.find(
              "returned an incorrect number of gradients (expected 2, got 1)\nhint: backward returns one "
              "gradient for each argument of forward, and an empty Tensor() for an argument that is not a "
              "tensor") != std::string::npos);
  }

  TEST_CASE("a saved tensor that nobody saved") {
    CHECK(refusal_lines([] { SavesNothing::apply(leaf()).sum().backward(); }) ==
          "tuple index out of range\nget_saved_variables: there is no tensor 0, since save_for_backward was "
          "given "
          "0\nhint: forward calls ctx->save_for_backward({...}) with what backward needs");
  }
}
