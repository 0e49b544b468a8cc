// The four kinds of arithmetic.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("arithmetic") {
  const Tensor a = etude::tensor({5.5, -5.5, 2.2, -0.7}, kDouble),
               b = etude::tensor({2.0, 2.0, -1.5, 3.0}, kDouble);

  TEST_CASE("sums, differences, products and quotients are those of C++, broadcast") {
    const Tensor column = etude::tensor({{3.}, {-0.4}}, kDouble);
    const Tensor results[] = {column + a, column - a, column * a, column / a};
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        const double x = column[i][0].item<double>(), y = a[j].item<double>();
        CHECK(results[0][i][j].item<double>() == x + y);
        CHECK(results[1][i][j].item<double>() == x - y);
        CHECK(results[2][i][j].item<double>() == x * y);
        CHECK(results[3][i][j].item<double>() == x / y);
      }
  }

  TEST_CASE("alpha multiplies what is added or taken away") {
    CHECK(same(add(etude::tensor({1, 2}), etude::tensor({3, 4}), 10), etude::tensor({31, 42})));
    CHECK(same(sub(etude::tensor({1, 2}), 3, 2), etude::tensor({-5, -4})));
    CHECK(same(rsub(etude::tensor({1, 2}), etude::tensor({3, 4}), 2), etude::tensor({1, 0})));
    CHECK(same(rsub(etude::tensor({1, 2}), 3), etude::tensor({2, 1})));
    const Tensor x = etude::ones({2});
    x.add_(etude::tensor({1., 2.}), 3).sub_(1, 2);
    CHECK(same(x, etude::tensor({2., 5.})));
  }

  TEST_CASE("an alpha of one has to have a type that fits, too") {
    const Tensor x = etude::ones({2}), k = etude::ones({2}, kLong);
    const char
        *const of_integers =
                   "Error: For integral input tensors, argument alpha must not be a floating point number.",
               *const of_floats = "Error: Boolean alpha only supported for Boolean results.";
    CHECK(refusal([&] { add(k, k, 1.0); }) == of_integers);
    CHECK(refusal([&] { sub(k, k, 1.0); }) == of_integers);
    CHECK(refusal([&] { add(x, x, true); }) == of_floats);
    CHECK(refusal([&] { sub(x, x, true); }) == of_floats);
  }

  TEST_CASE("assigning operators write into the memory of their tensor") {
    Tensor x = etude::tensor({1., 2.});
    const Tensor same_memory = x;
    x += 1;
    x *= x;
    x -= etude::tensor({1., 0.});
    x /= 3;
    CHECK(same(same_memory, etude::tensor({1., 3.})));
  }

  TEST_CASE("integers are divided into floats") {
    CHECK(same(etude::tensor({1, 3}) / 2, etude::tensor({0.5, 1.5})));
    CHECK(same(etude::tensor({1, 3}) / etude::tensor({4, 2}), etude::tensor({0.25, 1.5})));
  }

  TEST_CASE("their nodes have PyTorch's names") {
    const Tensor x = etude::ones({2}, requires_grad());
    CHECK(node_name(x + x) == "AddBackward0");
    CHECK(node_name(x - x) == "SubBackward0");
    CHECK(node_name(rsub(x, x)) == "RsubBackward0");
    CHECK(node_name(x * x) == "MulBackward0");
    CHECK(node_name(x / x) == "DivBackward0");
  }

  TEST_CASE("the gradients of the four kinds are those of finite differences, broadcast too") {
    check_gradients({
                        [](const auto& in) { return add(in[0], in[1], 0.5) * in[2]; },
                        [](const auto& in) { return sub(in[0], in[2], 0.5) * in[1]; },
                        [](const auto& in) { return in[0] * in[1] * in[2]; },
                        [](const auto& in) { return in[2] / in[0] / in[1]; },
                        [](const auto& in) { return rsub(in[0], in[1], 0.5); },
                    },
                    {a, b, etude::tensor({{1.2}, {-0.8}}, kDouble)});
  }

  TEST_CASE("integers times alpha keep their type") {
    const Tensor bools = etude::tensor({true, false}), u = etude::tensor({200}, kByte);
    CHECK(same(bools.add(bools, 2), bools));
    CHECK(same(bools.add(bools, -4), bools));
    CHECK(same(bools.clone().add_(bools, 2), bools));
    CHECK(same(bools.add(2, 2), etude::tensor({5, 4})));
    CHECK(same(etude::tensor({1}, kByte).add(u, 2), etude::tensor({145}, kByte)));
    CHECK(same(etude::tensor({1}, kByte).add(u, -2), etude::tensor({113}, kByte)));
    CHECK(refusal([&] { u.add(u, 300); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
  }

  TEST_CASE("a factor or a weight that the type cannot hold is refused") {
    const Tensor x = etude::zeros({2}), one = etude::ones({2});
    const char* const text = "Error: value cannot be converted to type float without overflow";
    CHECK(refusal([&] { x.add(one, 1e300); }) == text);
    CHECK(refusal([&] { x.sub(one, 1e300); }) == text);
    CHECK(refusal([&] { x.add_(one, 1e300); }) == text);
    CHECK(refusal([&] { lerp(x, one, 1e300); }) == text);
    CHECK(equal(x, etude::zeros({2})));
  }
}
