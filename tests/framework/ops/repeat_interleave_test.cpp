#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("repeat_interleave") {
  const Tensor x = etude::tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("repeats each row as often as it is told, in its place") {
    CHECK(same(x.repeat_interleave(2, 0),
               etude::tensor({{0., 1., 2.}, {0., 1., 2.}, {10., 11., 12.}, {10., 11., 12.}})));
    CHECK(same(x.repeat_interleave(etude::tensor({1, 0, 2}), 1),
               etude::tensor({{0., 2., 2.}, {10., 12., 12.}})));
    CHECK(
        same(x.t().repeat_interleave(etude::tensor({0, 1}, kInt), -1), etude::tensor({{10.}, {11.}, {12.}})));
    CHECK(
        same(x.repeat_interleave(2), etude::tensor({0., 0., 1., 1., 2., 2., 10., 10., 11., 11., 12., 12.})));
    CHECK(same(x.repeat_interleave(etude::tensor(3), 1, 9).narrow(1, 0, 3),
               etude::tensor({{0., 0., 0.}, {10., 10., 10.}})));
    CHECK(same(etude::tensor(3.).repeat_interleave(2), etude::tensor({3., 3.})));
    CHECK(x.repeat_interleave(0, 0).sizes() == IntArrayRef({0, 3}));
    CHECK(same(repeat_interleave(etude::tensor({1, 0, 2})), etude::tensor({0, 2, 2})));
    CHECK(same(repeat_interleave(etude::tensor({1, 0, 2}, kInt), optional<int64_t>(3)),
               etude::tensor({0, 2, 2}, kInt)));
  }

  TEST_CASE("refuses repeats that do not fit") {
    CHECK(refusal([&] { x.repeat_interleave(-1, 0); }) ==
          newer("Error: Repeats must be non-negative", "Error: repeats can not be negative"));
    CHECK(refusal([&] { x.repeat_interleave(2, 0, 5); }) ==
          newer("Error: repeat_interleave: Invalid output_size, expected 4 but got 5",
                "Error: allocated size does not match required size"));
    CHECK(refusal([&] {
            x.repeat_interleave(etude::tensor({1, 2}));
          }) == newer("Error: repeats must have the same size as input along dim, but got repeats.size(0) = "
                      "2 and input.size(0) = 6",
                      "Error: repeats must have the same size as input along dim"));
    CHECK(refusal([&] {
            x.repeat_interleave(etude::tensor({1., 2.}), 0);
          }) == "Error: \"repeat_interleave_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] {
            x.repeat_interleave(etude::tensor({{1, 2}}), 0);
          }) == "Error: repeats must be 0-dim or 1-dim tensor");
    CHECK(refusal([&] { x.repeat_interleave(2, 2); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([] { etude::tensor(3.).repeat_interleave(2, 0); }) ==
          newer("IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)",
                "IndexError: Dimension specified as 0 but tensor has no dimensions"));
    CHECK(refusal([] {
            repeat_interleave(etude::tensor({{1, 1}}));
          }) == "Error: repeat_interleave only accept 1D vector as repeat");
  }

  TEST_CASE("its gradient and second gradient are those of finite differences") {
    check_gradients({[](const auto& in) {
                       return in[0].repeat_interleave(etude::tensor({2, 0}), 0).pow(2);
                     },
                     [](const auto& in) { return in[0].repeat_interleave(2).pow(2); }},
                    {x.to(kDouble) * 0.3 - 1});
  }
}
