// Norms, and the logarithm of a sum of exponentials.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <utility>

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

  TEST_CASE("gradients and second gradients of norms of any order are those of finite differences") {
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensor one_element = etude::tensor({{-0.7}}, kDouble);
    const Tensor norm_of_one = etude::tensor({{0.6, -0.8}, {0.36, 0.16}}, kDouble);  // for p = 2 and p = 0.5
    for (const double p : {-1., 0.5, 1., 1.5, 2., 2.5, 3., infinity, -infinity}) {
      CAPTURE(p);
      for (const Tensor& x : {uneven({3, 4}), one_element, norm_of_one})
        check_gradients({
                            [p](const auto& in) { return in[0].norm(p, {1}, false); },
                            [p](const auto& in) { return in[0].norm(p, {0}, true); },
                            [p](const auto& in) { return in[0].norm(p); },
                        },
                        {x});
    }
  }

  TEST_CASE("elements that are zero, and rows of them, have the gradients that PyTorch gives them") {
    const double infinity = std::numeric_limits<double>::infinity();
    const Tensor rows = etude::tensor({{3., 0., -4.}, {0., 0., 0.}, {0.6, -0.8, 0.}, {0., 0., 1.}}, kDouble);
    const Tensor weights = etude::tensor({1., 2., 3., 4.}, kDouble);
    // Recorded from PyTorch; the second row of each is zero.
    const auto expected = [](double p, const Tensor& first, const Tensor& third, double last) {
      const Tensor none = etude::zeros({3}, kDouble);
      return std::make_pair(p, etude::stack({first, none, third, etude::tensor({0., 0., last}, kDouble)}));
    };
    const auto t = [](double a, double b, double c) { return etude::tensor({a, b, c}, kDouble); };
    for (const auto& [p, gradient] :
         {expected(-infinity, t(0, 0, 0), t(0, 0, 0), 0), expected(-1, t(0, 0, 0), t(0, 0, 0), 0),
          expected(0.5, t(2.154700538379252, 0, -1.8660254037844386),
                   t(6.464101615137754, -5.598076211353316, 0), 4),
          expected(1, t(1, 0, -1), t(3, -3, 0), 4),
          expected(1.5, t(0.7329564758289748, 0, -0.8463452372482761),
                   t(2.1988694274869247, -2.5390357117448286, 0), 4),
          expected(2, t(0.6, 0, -0.8), t(1.8, -2.4, 0), 4),
          expected(2.5, t(0.5118950223304005, 0, -0.7881139438380965),
                   t(1.5356850669912014, -2.36434183151429, 0), 4),
          expected(3, t(0.4448513517305356, 0, -0.7908468475209521),
                   t(1.3345540551916062, -2.3725405425628563, 0), 4),
          expected(infinity, t(0, 0, -1), t(0, -3, 0), 4)}) {
      CAPTURE(p);
      const Tensor x = rows.clone().requires_grad_();
      (x.norm(p, {1}, false) * weights).sum().backward();
      CHECK(allclose(x.grad(), gradient));
    }
  }

  TEST_CASE("the power may be a bool") {
    CHECK(etude::tensor({1.0, -2.0, 4.0}).norm(true).item<double>() == 7);
    CHECK(etude::tensor({1.0, -2.0, 0.0}).norm(false).item<double>() == 2);
  }
}
