#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("masked_select, take and nonzero") {
  const Tensor x = etude::tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("masked_select takes the elements where the mask is set, in their order") {
    CHECK(same(x.masked_select(x.gt(1.5)), etude::tensor({2., 10., 11., 12.})));
    CHECK(same(x.t().masked_select(etude::tensor({true, false})), etude::tensor({0., 1., 2.})));
    CHECK(same(x.masked_select(etude::tensor({{true}, {false}})), etude::tensor({0., 1., 2.})));
    CHECK(same(etude::tensor({1., 2.}).masked_select(etude::tensor({{true, true}, {false, true}})),
               etude::tensor({1., 2., 2.})));
    CHECK(same(etude::tensor(5).masked_select(etude::tensor(true)), etude::tensor({5})));
    CHECK(same(x.masked_select(etude::tensor(false)), etude::zeros({0})));
    CHECK(same(etude::zeros({0, 3}).masked_select(etude::ones({3}, kBool)), etude::zeros({0})));
  }

  TEST_CASE("take counts through the flattened tensor, and from its end if the number is negative") {
    CHECK(same(x.take(etude::tensor({{0, -1}, {3, 3}})), etude::tensor({{0., 12.}, {10., 10.}})));
    CHECK(same(x.t().take(etude::tensor({1, 2, -2})), etude::tensor({10., 1., 2.})));
    CHECK(same(etude::tensor({true, false}).take(etude::tensor(0)), etude::tensor(true)));
    CHECK(etude::zeros({0}).take(etude::empty({0, 3}, kLong)).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("nonzero gives the coordinates of what is not zero, nan included") {
    CHECK(same(etude::tensor({{1., 0.}, {std::nan(""), 3.}}).nonzero(),
               etude::tensor({{0, 0}, {1, 0}, {1, 1}})));
    CHECK(same(x.t().nonzero()[0], etude::tensor({0, 1})));
    CHECK(etude::tensor({{1, 0}, {2, 3}}).nonzero().strides() == IntArrayRef({1, 3}));
    CHECK(etude::tensor(1.).nonzero().sizes() == IntArrayRef({1, 0}));
    CHECK(etude::tensor(0.).nonzero().sizes() == IntArrayRef({0, 0}));
    CHECK(etude::zeros({0, 3}).nonzero().sizes() == IntArrayRef({0, 2}));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble),
                 row = etude::tensor({0.3, 0.7, -1.1}, kDouble);
    const Tensor mask = etude::tensor({{true, false, true}, {true, true, false}});
    const std::vector<TensorFunction> functions = {
        [&](const auto& in) { return in[0].masked_select(mask).pow(2); },
        [&](const auto& in) {
          return in[0].t().masked_select(etude::tensor({true, false})).pow(2);
        },
        [&](const auto& in) { return in[1].masked_select(mask).pow(3); },
        [&](const auto& in) {
          return in[0].take(etude::tensor({{0, -1}, {5, 2}})).pow(2);
        },
        [&](const auto& in) {
          return in[0].t().take(etude::tensor({1, 1, 4})).pow(2);
        }};
    for (const TensorFunction& f : functions) {
      CHECK(gradcheck(f, {a, row}));
      CHECK(gradgradcheck(f, {a, row}));
    }
  }

  TEST_CASE("refuses what does not fit") {
    CHECK(refusal([&] {
            x.masked_select(etude::tensor({true, false}));
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
    CHECK(refusal([&] { x.take(etude::tensor({6})); }) ==
          "IndexError: out of range: tried to access index 6 on a tensor of 6 elements.");
    CHECK(refusal([&] { x.take(etude::tensor({-7})); }) ==
          "IndexError: out of range: tried to access index -7 on a tensor of 6 elements.");
    CHECK(refusal([&] { x.take(etude::tensor({0}, kInt)); }) ==
          "Error: take(): Expected a long tensor for index, but got Int");
    CHECK(refusal([] { etude::zeros({0}).take(etude::tensor({0})); }) ==
          "IndexError: take(): tried to take from an empty tensor");
  }

  TEST_CASE("the gradient of masked_select needs its mask as it was") {
    const Tensor leaf = etude::ones({3}, requires_grad()), mask = etude::tensor({true, false, true});
    const Tensor y = leaf.masked_select(mask);
    mask.copy_(etude::tensor({true, true, false}));
    CHECK(refusal([&] { y.sum().backward(); }).find("modified by an inplace operation") != std::string::npos);
  }
}
