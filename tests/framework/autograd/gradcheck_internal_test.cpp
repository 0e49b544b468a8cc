// Python's gradcheck, on nodes made by hand.
#include "etude/autograd/gradcheck.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/fake_square.h"
#include "support/refusal.h"

using namespace etude;
using autograd::variable_list;

TEST_SUITE("gradcheck, inside") {
  TEST_CASE("the public one says yes, and throws Python's sentence with both Jacobians where it says no") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const TensorsFunction right = [](const variable_list& in) {
      return variable_list{in[0] * 2, in[0].exp()};
    };
    CHECK(autograd::gradcheck(right, {v}));
    CHECK(autograd::gradgradcheck(right, {v}));
    CHECK(autograd::gradgradcheck(right, {v}, {etude::ones({2}, kDouble), etude::ones({2}, kDouble)}));
    const TensorsFunction one_of_two = [](const variable_list& in) {
      return variable_list{in[0] * in[0], in[0].detach() * 2};
    };
    CHECK(autograd::gradgradcheck(one_of_two, {v}, {etude::ones({2}, kDouble)}));
    CHECK(refusal_text([&] { autograd::gradgradcheck(right, {v}, {etude::ones({2}, kDouble)}); }) ==
          "got 2 outputs and 1 gradients of outputs");
    CHECK(autograd::gradcheck([](const variable_list& in) { return in[0] * in[1]; }, {v, v.detach()}));
    const auto wrong = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 3; });
    CHECK_FALSE(autograd::gradcheck(wrong, {v}, 1e-6, 1e-5, 1e-3, false));
    try {
      autograd::gradcheck(wrong, {v});
      FAIL("not refused");
    } catch (const autograd::GradcheckError& e) {
      const std::string text = e.what();
      CHECK(text.substr(0, text.find("the gradient of input 0 at element 0 is ")) ==
            "Jacobian mismatch for output 0 with respect to input 0,\n"
            "numerical:tensor([[2.0000, 0.0000],\n"
            "        [0.0000, 4.0000]], dtype=torch.float64)\n"
            "analytical:tensor([[3., 0.],\n"
            "        [0., 6.]], dtype=torch.float64)\n");
    }
  }

  TEST_CASE("the public one finds the output and the input that are wrong") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const auto wrong = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 3; });
    auto sentence = [&](const TensorsFunction& f, bool second_order) {
      return refusal([&] {
        if (second_order) autograd::gradgradcheck(f, {v, v});
        else autograd::gradcheck(f, {v, v});
      });
    };
    CHECK(sentence(
              [&](const variable_list& in) {
                return variable_list{in[0] * 2, wrong({in[1]})[0]};
              },
              false) == "Error: Jacobian mismatch for output 1 with respect to input 1,");
    CHECK(sentence([](const variable_list& in) { return variable_list{in[0].detach() * in[0]}; }, true) ==
          "Error: Jacobian mismatch for output 0 with respect to input 0,");
    CHECK(sentence([](const variable_list& in) { return variable_list{in[0].detach() * 2}; }, false) ==
          "Error: Numerical gradient for function expected to be zero");
  }

  TEST_CASE("the public one takes tolerances, and refuses what it cannot check") {
    const Tensor v = etude::tensor({1.0, 2.0}, TensorOptions(kDouble).requires_grad(true));
    const auto nearly = square_with([](const Tensor& dy, const Tensor& w) { return dy * w * 2.01; });
    CHECK_FALSE(autograd::gradcheck(nearly, {v}, 1e-6, 1e-5, 1e-3, false));
    CHECK(autograd::gradcheck(nearly, {v}, 1e-6, 1e-5, 1e-2, false));
    CHECK(autograd::gradcheck(nearly, {v}, 1e-6, 0.1, 0.0, false));
    const auto cube = [](const variable_list& in) { return in[0] * in[0] * in[0]; };
    CHECK_FALSE(autograd::gradcheck(cube, {v}, 0.5, 1e-5, 1e-3, false));
    CHECK(refusal([&] { autograd::gradcheck(cube, {v.detach()}, 1e-6, 1e-5, 1e-3, false); }) ==
          "ValueError: gradcheck expects at least one input tensor to require gradient, but none of the them "
          "have "
          "requires_grad=True.");
    CHECK(
        refusal([&] {
          autograd::gradcheck(cube, {etude::ones({2}, requires_grad())});
        }).rfind("ValueError: Input #0 requires gradient and is not a double precision floating point", 0) ==
        0);
    CHECK(refusal([&] {
            autograd::gradcheck(cube, {etude::ones({1}, kDouble).expand({3}).requires_grad_()});
          }).rfind("Error: The 0th input has a dimension with stride 0.", 0) == 0);
  }
}
