// Norms, and the logarithm of a sum of exponentials.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("norm and logsumexp") {
  TEST_CASE("logsumexp of infinities is infinite, or nothing, and takes what no exponential can") {
    const double inf = std::numeric_limits<double>::infinity();
    for (const auto type : {kFloat, kDouble}) {
      CHECK(logsumexp(etude::tensor({inf, 100.0, 1.0}, type), 0).item<double>() == inf);
      CHECK(logsumexp(etude::tensor({inf, -inf}, type), 0).item<double>() == inf);
      CHECK(logsumexp(etude::tensor({-inf, -inf}, type), 0).item<double>() == -inf);
      CHECK(logsumexp(etude::tensor({300.0, -inf}, type), 0).item<double>() == 300);
      CHECK(logsumexp(etude::tensor({inf, std::nan("")}, type), 0).isnan().item<bool>());
    }
  }

  TEST_CASE("logsumexp and norm are what their formulas say") {
    const Tensor x = uneven({4, 3});
    CHECK(allclose(logsumexp(x, 0), log(exp(x).sum(0))));
    CHECK(logsumexp(etude::full({2}, 1000, kDouble), 0).item<double>() ==
          doctest::Approx(1000 + std::log(2.0)));
    CHECK(allclose(x.norm(), sqrt((x * x).sum())));
    CHECK(allclose(x.norm(Scalar(1), 1), x.abs().sum(1)));
  }

  TEST_CASE(
      "a norm of order 0 counts what is not zero, of order infinity it is the largest, of minus that the "
      "smallest") {
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensor x = etude::tensor({{3., 0., -4.}, {0., 0., 2.}});
    CHECK(same(x.norm(Scalar(0), 1), etude::tensor({2., 1.})));
    CHECK(same(x.norm(Scalar(infinity), 1), etude::tensor({4., 2.})));
    CHECK(same(x.norm(Scalar(-infinity), 0), etude::tensor({0., 0., 2.})));
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return in[0].logsumexp(2); },
                        [](const auto& in) { return in[0].norm(); },
                        [](const auto& in) { return in[0].norm(Scalar(3), 1); },
                    },
                    {uneven({2, 3, 2})});
  }

  TEST_CASE("the power is no bool") {
    CHECK(refusal([] { etude::ones({3}).norm(true); }) ==
          "Error: norm_kernel_tensor_iterator_impl expects norm to be integer or float");
  }
}
