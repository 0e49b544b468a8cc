// Running sums along a dim.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("cumsum") {
  TEST_CASE("adds up what came before, along any dim") {
    CHECK(same(etude::tensor({{1, 2}, {3, 4}}).cumsum(0), etude::tensor({{1, 2}, {4, 6}})));
    const Tensor x = uneven({3, 4, 5});
    for (int64_t d = 0; d < 3; ++d) {
      const Tensor y = x.cumsum(d - 3);
      for (int64_t i = 0; i < x.size(d); ++i) CHECK(allclose(y.select(d, i), x.narrow(d, 0, i + 1).sum(d)));
    }
  }

  TEST_CASE("of integers and bools it is int64, or of the type that is named") {
    CHECK(same(etude::tensor({true, false, true}).cumsum(0), etude::tensor({1, 1, 2})));
    CHECK(same(etude::full({2}, 200, kByte).cumsum(0), etude::tensor({200, 400})));
    CHECK(same(etude::full({2}, 200, kByte).cumsum(0, kByte), etude::tensor({200, 144}, kByte)));
  }

  TEST_CASE("takes 0-dim and empty tensors, and refuses a dim that does not exist") {
    CHECK(same(etude::tensor(3.).cumsum(0), etude::tensor(3.)));
    CHECK(etude::zeros({2, 0}).cumsum(1).sizes() == IntArrayRef({2, 0}));
    CHECK(refusal([] { etude::zeros({2}).cumsum(1); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
  }

  TEST_CASE("its gradient and second gradient are those of finite differences") {
    check_gradients({[](const auto& in) { return in[0].cumsum(1) * in[0]; },
                     [](const auto& in) { return in[0].cumsum(1); }},
                    {uneven({2, 3, 2})});
  }
}
