// Powers, and squares.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/function_of_one.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("pow") {
  const FunctionOfOne squared = {"square", square, [](double x) { return x * x; }, -2, 2};
  const Tensor a = etude::tensor({0.5, 1.5, 2.5}, kDouble), b = etude::tensor({{-1.}, {0.3}, {2.}}, kDouble);

  TEST_CASE("square is the C library's, on views, in double and in float, of empty and 0-dim tensors") {
    check_values(squared);
    check_edges(squared);
  }

  TEST_CASE("square has the gradient and second gradient of finite differences") { check_gradient(squared); }

  TEST_CASE("raises each element to the power beside it, whichever of both is a number") {
    const Tensor y = pow(a, b);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 3; ++j)
        CHECK(y[i][j].item<double>() ==
              doctest::Approx(std::pow(a[j].item<double>(), b[i][0].item<double>())));
    CHECK(allclose(pow(a, 3), a * a * a));
    CHECK(allclose(pow(a, -0.5), rsqrt(a)));
    CHECK(allclose(pow(2, b), exp(b * std::log(2.0))));
    const Tensor x = a.clone();
    x.pow_(2);
    CHECK(same(x, square(a)));
  }

  TEST_CASE("integers stay integers, and a negative power of theirs is refused") {
    CHECK(same(pow(etude::tensor({2, -3}), 3), etude::tensor({8, -27})));
    CHECK(same(pow(etude::tensor({2, 3}), etude::tensor({5, 0})), etude::tensor({32, 1})));
    CHECK(refusal([] {
            pow(etude::tensor({2, 3}), -1);
          }) == "Error: Integers to negative integer powers are not allowed.");
    CHECK(refusal([] { pow(etude::full({1}, 2, kByte), 256); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { pow(etude::full({1}, 2, kInt), int64_t{1} << 32); }) ==
          "Error: value cannot be converted to type int without overflow");
  }

  TEST_CASE(
      "the gradient is zero for the base where the power is zero, and for the power where the base is") {
    const Tensor x = etude::tensor({0., 3.}).requires_grad_(), n = etude::zeros({2}).requires_grad_();
    const auto dx = autograd::grad({pow(x, n).sum()}, {x, n});
    CHECK(same(dx[0], etude::zeros({2})));
    CHECK(dx[1][0].item<double>() == 0);
    CHECK(dx[1][1].item<double>() == doctest::Approx(std::log(3.0)));
    CHECK(same(autograd::grad({pow(x, 0).sum()}, {x})[0], etude::zeros({2})));
  }

  TEST_CASE("gradients and second gradients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return pow(in[0], in[1]); },
                        [](const auto& in) { return pow(in[0], 3); },
                        [](const auto& in) { return pow(in[0], -0.5); },
                        [](const auto& in) { return pow(2, in[1]); },
                    },
                    {a, b});
  }
}
