#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("masked_select, take and nonzero") {
  const Tensor x = tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("masked_select takes the elements where the mask is set, in their order") {
    CHECK(same(x.masked_select(x.gt(1.5)), tensor({2., 10., 11., 12.})));
    CHECK(same(x.t().masked_select(tensor({true, false})), tensor({0., 1., 2.})));
    CHECK(same(x.masked_select(tensor({{1}, {0}}, kByte)), tensor({0., 1., 2.})));
    CHECK(same(tensor({1., 2.}).masked_select(tensor({{true, true}, {false, true}})), tensor({1., 2., 2.})));
    CHECK(same(tensor(5).masked_select(tensor(true)), tensor({5})));
    CHECK(same(x.masked_select(tensor(false)), zeros({0})));
    CHECK(same(zeros({0, 3}).masked_select(ones({3}, kBool)), zeros({0})));
  }

  TEST_CASE("take counts through the flattened tensor, and from its end if the number is negative") {
    CHECK(same(x.take(tensor({{0, -1}, {3, 3}})), tensor({{0., 12.}, {10., 10.}})));
    CHECK(same(x.t().take(tensor({1, 2, -2})), tensor({10., 1., 2.})));
    CHECK(same(tensor({true, false}).take(tensor(0)), tensor(true)));
    CHECK(zeros({0}).take(empty({0, 3}, kLong)).sizes() == IntArrayRef({0, 3}));
  }

  TEST_CASE("nonzero gives the coordinates of what is not zero, nan included") {
    CHECK(same(tensor({{1., 0.}, {std::nan(""), 3.}}).nonzero(), tensor({{0, 0}, {1, 0}, {1, 1}})));
    CHECK(same(x.t().nonzero()[0], tensor({0, 1})));
    CHECK(tensor({{1, 0}, {2, 3}}).nonzero().strides() == IntArrayRef({1, 3}));
    CHECK(tensor(1.).nonzero().sizes() == IntArrayRef({1, 0}));
    CHECK(tensor(0.).nonzero().sizes() == IntArrayRef({0, 0}));
    CHECK(zeros({0, 3}).nonzero().sizes() == IntArrayRef({0, 2}));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble),
                 row = tensor({0.3, 0.7, -1.1}, kDouble);
    const Tensor mask = tensor({{true, false, true}, {true, true, false}});
    const std::vector<TensorFunction> functions = {
        [&](const auto& in) { return in[0].masked_select(mask).pow(2); },
        [&](const auto& in) {
          return in[0].t().masked_select(tensor({true, false})).pow(2);
        },
        [&](const auto& in) { return in[1].masked_select(mask).pow(3); },
        [&](const auto& in) {
          return in[0].take(tensor({{0, -1}, {5, 2}})).pow(2);
        },
        [&](const auto& in) {
          return in[0].t().take(tensor({1, 1, 4})).pow(2);
        }};
    for (const TensorFunction& f : functions) {
      CHECK(gradcheck(f, {a, row}));
      CHECK(gradgradcheck(f, {a, row}));
    }
  }

  TEST_CASE("refuses what does not fit") {
    CHECK(refusal([&] {
            x.masked_select(tensor({1, 0, 1}));
          }) == "Error: masked_select: expected BoolTensor or ByteTensor for mask");
    CHECK(refusal([&] {
            x.masked_select(tensor({true, false}));
          }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
    CHECK(refusal([&] { x.take(tensor({6})); }) ==
          "IndexError: out of range: tried to access index 6 on a tensor of 6 elements.");
    CHECK(refusal([&] { x.take(tensor({-7})); }) ==
          "IndexError: out of range: tried to access index -7 on a tensor of 6 elements.");
    CHECK(refusal([&] { x.take(tensor({0}, kInt)); }) ==
          "Error: take(): Expected a long tensor for index, but got Int");
    CHECK(refusal([] { zeros({0}).take(tensor({0})); }) ==
          "IndexError: take(): tried to take from an empty tensor");
  }
}
