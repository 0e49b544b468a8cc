// Bounds, maximum and minimum, and the three-operand products that optimizers use.
#include <doctest/doctest.h>

#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("bounds and products of three") {
  const Tensor a = etude::tensor({5.5, -5.5, 2.2, -0.7}, kDouble),
               b = etude::tensor({2.0, 2.0, -1.5, 3.0}, kDouble);

  TEST_CASE("clamp keeps numbers between its bounds, of which one may be missing") {
    const Tensor x = etude::tensor({{-3, 0}, {2, 9}});
    CHECK(same(clamp(x, 0, 4), etude::tensor({{0, 0}, {2, 4}})));
    CHECK(same(clamp_min(x.t(), 1), etude::tensor({{1, 2}, {1, 9}})));
    CHECK(same(clamp_max(x, 1), etude::tensor({{-3, 0}, {1, 1}})));
    CHECK(same(clamp(x, 4, 1), etude::ones({2, 2}, kLong)));
    const Tensor y = a.clone();
    CHECK(y.clamp_(-1, 2.5).is_same(y));
    CHECK(same(y, etude::tensor({2.5, -1., 2.2, -0.7}, kDouble)));
  }

  TEST_CASE("maximum and minimum choose element by element, and nan wins") {
    CHECK(same(maximum(a, b), etude::tensor({5.5, 2., 2.2, 3.}, kDouble)));
    CHECK(same(minimum(a, b), etude::tensor({2., -5.5, -1.5, -0.7}, kDouble)));
    CHECK(same(maximum(etude::tensor({{1}, {5}}), etude::tensor({3, 4})), etude::tensor({{3, 4}, {5, 5}})));
    const Tensor nan = etude::full({4}, std::numeric_limits<double>::quiet_NaN(), kDouble);
    CHECK(maximum(a, nan).isnan().all().item<bool>());
    CHECK(minimum(nan, b).isnan().all().item<bool>());
  }

  TEST_CASE("two equal numbers share the gradient") {
    const Tensor x = etude::tensor({1., 2., 3.}).requires_grad_(),
                 y = etude::tensor({2., 2., 2.}).requires_grad_();
    const auto largest = autograd::grad({maximum(x, y).sum()}, {x, y}),
               smallest = autograd::grad({minimum(x, y).sum()}, {x, y});
    CHECK(same(largest[0], etude::tensor({0., 0.5, 1.})));
    CHECK(same(largest[1], etude::tensor({1., 0.5, 0.})));
    CHECK(same(smallest[0], etude::tensor({1., 0.5, 0.})));
    CHECK(same(smallest[1], etude::tensor({0., 0.5, 1.})));
  }

  TEST_CASE("addcmul and addcdiv are what their formulas say, broadcast and in place") {
    const Tensor x = etude::tensor({{1.}, {-2.}}, kDouble);
    CHECK(allclose(addcmul(x, a, b, 0.5), x + a * b * 0.5));
    CHECK(allclose(addcdiv(x, a, b, 0.5), x + a / b * 0.5));
    const Tensor y = a.clone();
    y.addcmul_(a, b, 2).addcdiv_(a, b);
    CHECK(allclose(y, a + a * b * 2 + a / b));
  }

  TEST_CASE("the gradients of bounds are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return maximum(in[0], in[1]); },
                        [](const auto& in) { return minimum(in[0], in[1]); },
                        [](const auto& in) { return clamp_min(in[0], 0.5); },
                        [](const auto& in) { return clamp_max(in[0], 0.5); },
                        [](const auto& in) { return clamp(in[0], -1, 2.5); },
                    },
                    {a, b});
  }

  TEST_CASE("the gradients of addcmul and addcdiv are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return addcmul(in[0], in[1], in[2], 0.5); },
                        [](const auto& in) { return addcdiv(in[0], in[1], in[2], 0.5); },
                    },
                    {a, b, etude::tensor({{1.2}, {-0.8}}, kDouble)});
  }

  TEST_CASE("addcmul and addcdiv have the type that their tensors have together") {
    const Tensor i = etude::tensor({1, 2, 3}), u = i.to(kByte), f = etude::ones({3}),
                 d0 = etude::tensor(2., kDouble), f0 = etude::tensor(3.f);
    CHECK(same(addcmul(i, i, i, 2.5), etude::tensor({3, 10, 21})));
    CHECK(same(i.clone().addcmul_(i, i, 2.5), etude::tensor({3, 10, 21})));
    CHECK(same(addcmul(u, u, u, -1), etude::tensor({0, 254, 250}, kByte)));
    CHECK(same(addcmul(f, i, i, 0.5), etude::tensor({1.5f, 3.f, 5.5f})));
    CHECK(addcmul(d0, f0, f0).scalar_type() == kDouble);
    CHECK(addcmul(d0, f, f0).scalar_type() == kFloat);
    CHECK(addcdiv(d0, f0, etude::ones({1, 1}, kBool)).scalar_type() == kDouble);
    CHECK(addcdiv(f, i, f, 2.5).scalar_type() == kFloat);
    CHECK(refusal([&] { addcmul(i.to(kBool), i.to(kBool), i.to(kBool)); }) ==
          "Error: \"addcmul_cpu_out\" not implemented for 'Bool'");
    CHECK(refusal([&] { i.clone().addcmul_(f.to(kDouble), i); }) ==
          "Error: result type Double can't be cast to the desired output type Long");
  }

  TEST_CASE("bools have no bounds, and none of another type in place") {
    const Tensor bools = etude::tensor({true, false});
    CHECK(refusal([&] { bools.clamp(true); }) ==
          newer("Error: \"clamp_min_scalar_cpu\" not implemented for 'Bool'",
                "Error: \"clamp_min_cpu\" not implemented for 'Bool'"));
    CHECK(refusal([&] { bools.clamp(nullopt, true); }) ==
          "Error: \"clamp_max_scalar_cpu\" not implemented for 'Bool'");
    CHECK(refusal([&] { bools.clone().clamp_(false, true); }) ==
          "Error: \"clamp_scalar_cpu\" not implemented for 'Bool'");
    CHECK(refusal([&] { bools.clone().clamp_(0); }) ==
          "Error: result type Long can't be cast to the desired output type bool");
    CHECK(refusal([&] {
            etude::tensor({1, 2}).clamp_(0.5);
          }) == "Error: result type Float can't be cast to the desired output type long int");
    CHECK(bools.clamp(0).scalar_type() == kLong);
  }
}
