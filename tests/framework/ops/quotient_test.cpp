// Division with rounding, and remainders.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("rounded quotients and remainders") {
  const Tensor a = etude::tensor({5.5, -5.5, 2.2, -0.7}, kDouble),
               b = etude::tensor({2.0, 2.0, -1.5, 3.0}, kDouble);

  TEST_CASE("a rounded quotient is rounded down or towards zero") {
    const Tensor x = etude::tensor({7, -7, 7, -7}), y = etude::tensor({2, 2, -2, -2});
    CHECK(same(div(x, y, "floor"), etude::tensor({3, -4, -4, 3})));
    CHECK(same(floor_divide(x, y), etude::tensor({3, -4, -4, 3})));
    CHECK(same(div(x, y, "trunc"), etude::tensor({3, -3, -3, 3})));
    CHECK(same(div(a, b, "floor"), floor(a / b)));
    CHECK(same(div(a, b, "trunc"), trunc(a / b)));
    CHECK(refusal([&] { div(x, y, "up"); }) ==
          "Error: div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
  }

  TEST_CASE("remainder has the sign of the divisor, fmod that of the dividend") {
    CHECK(allclose(remainder(a, b), etude::tensor({1.5, 0.5, -0.8, 2.3}, kDouble)));
    CHECK(allclose(fmod(a, b), etude::tensor({1.5, -1.5, 0.7, -0.7}, kDouble)));
    CHECK(equal(remainder(etude::tensor({7, -7, 7, -7}), etude::tensor({3, 3, -3, -3})),
                etude::tensor({1, 2, -2, -1})));
    CHECK(equal(fmod(etude::tensor({7, -7, 7, -7}), etude::tensor({3, 3, -3, -3})),
                etude::tensor({1, -1, 1, -1})));
  }

  TEST_CASE("an integer division by zero is refused as in PyTorch") {
    const Tensor x = etude::ones({2}, kLong), zero = etude::zeros({2}, kLong);
    CHECK(refusal([&] { floor_divide(x, zero); }) == "Error: ZeroDivisionError");
    CHECK(refusal([&] { remainder(x, zero); }) == "Error: ZeroDivisionError");
    CHECK(refusal([&] { fmod(x, zero); }) == "Error: ZeroDivisionError");
    CHECK(refusal([&] { div(x, zero, "trunc"); }) == "Error: ZeroDivisionError");
  }

  TEST_CASE("what is left over from a number keeps nothing, so that backward may run again") {
    const Tensor x = etude::tensor({1.5, -2.0}, TensorOptions(kDouble).requires_grad(true));
    for (const Tensor& y : {fmod(x, 0.7), remainder(x, 0.7), fmod(x, etude::full({2}, 0.7))}) {
      y.sum().backward();
      y.sum().backward();
    }
    CHECK(equal(x.grad(), etude::full({2}, 6.0, kDouble)));
    const Tensor both = fmod(x, x.detach().requires_grad_() * 0.7).sum();
    both.backward();
    CHECK(refusal([&] { both.backward(); }).find("Trying to backward through the graph a second time") !=
          std::string::npos);
  }

  TEST_CASE("remainders have nodes of PyTorch's names, in place too") {
    const Tensor x = etude::ones({2}, requires_grad()), two = etude::full({2}, 2.0);
    CHECK(node_name(remainder(x, 2)) == "RemainderBackward0");
    CHECK(node_name((x * 1).remainder_(2)) == "RemainderBackward0");
    CHECK(node_name((x * 1).remainder_(two)) == "RemainderBackward1");
    CHECK(node_name(fmod(x, 2)) == "FmodBackward0");
    CHECK(node_name((x * 1).fmod_(2)) == "FmodBackward0");
    CHECK(node_name((x * 1).fmod_(two)) == "FmodBackward1");
  }

  TEST_CASE("the gradients of remainders and rounded quotients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return remainder(in[0], in[1]); },
                        [](const auto& in) { return fmod(in[0], in[1]); },
                        [](const auto& in) { return div(in[0], in[1], "floor"); },
                        [](const auto& in) { return div(in[0], in[1], "trunc"); },
                        [](const auto& in) { return remainder(in[0], 2); },
                        [](const auto& in) { return fmod(in[0], 2); },
                    },
                    {a, b});
  }

  TEST_CASE("floor_divide is recorded, and its backward refuses as PyTorch's does") {
    const Tensor x = etude::ones({3}, requires_grad());
    for (const Tensor& y : {floor_divide(x, 2), floor_divide(x, x.detach()), x.floor_divide(x)}) {
      CHECK(y.requires_grad());
      CHECK(refusal([&] { y.sum().backward(); }) ==
            "Error: derivative for aten::floor_divide is not implemented");
    }
    CHECK((x + 0).floor_divide_(2).requires_grad());
    CHECK(etude::ones({3}).floor_divide_(x).requires_grad());
  }

  TEST_CASE("nothing divided by zero is nothing") {
    const Tensor none = etude::zeros({0}, kLong);
    for (const Tensor& y :
         {none.remainder(0), none.fmod(0), none.floor_divide(0), div(none, etude::tensor(0), "trunc")})
      CHECK(y.sizes() == IntArrayRef({0}));
    CHECK(none.remainder(etude::zeros({3, 1}, kLong)).sizes() == IntArrayRef({3, 0}));
  }
}
