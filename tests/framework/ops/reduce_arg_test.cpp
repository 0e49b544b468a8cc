// Largest and smallest elements and their indices; all and any.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("max, min, all and any") {
  TEST_CASE("max, min and their indices name the first of equal elements, and nan wins") {
    const Tensor x = etude::tensor({{1, 5, 5}, {7, 2, 7}});
    const auto [largest, where_largest] = x.max(1);
    CHECK(same(largest, etude::tensor({5, 7})));
    CHECK(same(where_largest, etude::tensor({1, 0})));
    CHECK(same(std::get<1>(x.min(0)), etude::tensor({0, 1, 0})));
    CHECK(x.argmax().item<int64_t>() == 3);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(etude::tensor({1.0, nan, 3.0}).max().item<double>()));
    CHECK(etude::tensor({1.0, nan, 3.0}).argmin().item<int64_t>() == 1);
  }

  TEST_CASE("all asks for every element, any for one") {
    CHECK(etude::tensor({true, false}).any().item<bool>());
    CHECK_FALSE(etude::tensor({true, false}).all().item<bool>());
    const Tensor x = etude::tensor({{1, 0, 2}, {3, 0, 0}});
    CHECK(same(x.all(0), etude::tensor({true, false, false})));
    CHECK(same(x.any(0, true), etude::tensor({{true, false, true}})));
    CHECK(etude::empty({0}).all().item<bool>());
    CHECK_FALSE(etude::empty({0}).any().item<bool>());
  }

  TEST_CASE("over nothing max gives nothing along other dims and refuses along its own") {
    CHECK(std::get<0>(etude::zeros({3, 0}).max(0)).sizes() == IntArrayRef({0}));
    CHECK(refusal([] { etude::zeros({0}).max(); }) ==
          "Error: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
          "reduction dim with the 'dim' argument.");
    CHECK(refusal([] {
            etude::zeros({0, 3}).max(0);
          }) == "IndexError: max(): Expected reduction dim 0 to have non-zero size.");
  }

  TEST_CASE(
      "equal elements share the gradient where no place is returned, and the first takes it where one is") {
    const Tensor x = etude::tensor({2., 5., 5., 1.}).requires_grad_();
    CHECK(same(autograd::grad({x.max()}, {x})[0], etude::tensor({0., 0.5, 0.5, 0.})));
    CHECK(same(autograd::grad({x.amax(0)}, {x})[0], etude::tensor({0., 0.5, 0.5, 0.})));
    CHECK(same(autograd::grad({std::get<0>(x.max(0))}, {x})[0], etude::tensor({0., 1., 0., 0.})));
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return in[0].max(); },
                        [](const auto& in) { return std::get<0>(in[0].min(0)); },
                        [](const auto& in) { return in[0].amax(1); },
                        [](const auto& in) { return in[0].amin(0, true); },
                    },
                    {uneven({2, 3, 2})});
  }
}
