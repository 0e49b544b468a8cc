// Sums, means and products: values against plain loops, edge cases and errors as in PyTorch.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("sum, mean and prod") {
  TEST_CASE("sum, mean and prod along every dim are what a loop gives") {
    const Tensor x = uneven({3, 4, 5});
    for (int64_t d = 0; d < 3; ++d) {
      CAPTURE(d);
      const Tensor rows = x.transpose(d, 2).contiguous().view({60 / x.size(d), x.size(d)});
      const Tensor sums = x.transpose(d, 2).sum(2).flatten(), products = x.transpose(d, 2).prod(2).flatten();
      for (int64_t i = 0; i < rows.size(0); ++i) {
        double total = 0, product = 1;
        for (int64_t j = 0; j < rows.size(1); ++j) {
          total += rows[i][j].item<double>();
          product *= rows[i][j].item<double>();
        }
        CHECK(sums[i].item<double>() == doctest::Approx(total));
        CHECK(rows[i].prod().item<double>() == doctest::Approx(product));
        CHECK(products[i].item<double>() == doctest::Approx(product));
        CHECK(rows[i].mean().item<double>() == doctest::Approx(total / static_cast<double>(rows.size(1))));
      }
      CHECK(x.sum(d, true).sizes()[static_cast<size_t>(d)] == 1);
    }
    CHECK(allclose(x.sum(IntArrayRef({0, 2})), x.sum(2).sum(0)));
    CHECK(allclose(x.sum(), x.flatten().sum(0)));
  }

  TEST_CASE("prod along a dim keeps it if asked to, and its type is int64 or the one named") {
    const Tensor x = etude::tensor({{1, 2, 3}, {-4, 0, 6}});
    CHECK(same(x.prod(1), etude::tensor({6, 0}, kLong)));
    CHECK(same(etude::prod(x, -2, true), etude::tensor({{-4, 0, 18}}, kLong)));
    CHECK(same(x.to(kByte).prod(0, false, kByte), etude::tensor({252, 0, 18}, kByte)));
    CHECK(same(x.prod(1, true, kDouble), etude::tensor({{6.0}, {0.0}}, kDouble)));
    CHECK(same(x.gt(0).prod(1), etude::tensor({1, 0}, kLong)));
    CHECK(same(etude::zeros({2, 0}).prod(1), etude::ones({2})));
    CHECK(etude::zeros({2, 0}).prod(0).sizes() == IntArrayRef({0}));
    CHECK(same(etude::tensor(3.0).prod(0), etude::tensor(3.0)));
    CHECK(refusal([] {
            etude::zeros({2, 3}).prod(2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    const Tensor leaf = etude::ones({2, 3}, requires_grad());
    CHECK(node_name(leaf.prod(1)) == "ProdBackward1");
    CHECK(node_name(leaf.prod()) == "ProdBackward0");
  }

  TEST_CASE("prod has right gradients of every order where factors are zero") {
    const Tensor x = etude::tensor(
        {{2.0, 0.0, 3.0, 5.0, 0.5}, {0.0, 4.0, 0.0, -1.0, 2.0}, {1.0, 2.0, 3.0, 4.0, 5.0}}, kDouble);
    for (const int64_t dim : {0, 1}) {
      const TensorFunction f = [=](const auto& in) { return in[0].prod(dim, /*keepdim=*/true); };
      CHECK(gradcheck(f, {x}));
      CHECK(gradgradcheck(f, {x}));
    }
    const Tensor leaf = x.clone().requires_grad_();
    leaf.prod(1).sum().backward();
    CHECK(same(leaf.grad(),
               etude::tensor(
                   {{0.0, 15.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0}, {120.0, 60.0, 40.0, 30.0, 24.0}},
                   kDouble)));
    const Tensor number = etude::tensor(3.0).requires_grad_();
    number.prod(0).backward();
    CHECK(number.grad().item<double>() == 1);
    for (const Tensor& one :
         {etude::full({1}, 2.0, requires_grad()), etude::full({1, 1}, 2.0, requires_grad())})
      for (const Tensor& y : {one.prod(), one.prod(0).sum()}) {
        const Tensor slope = autograd::grad({y}, {one}, {}, nullopt, /*create_graph=*/true)[0];
        CHECK(slope.item<double>() == 1);
        CHECK(autograd::grad({slope.sum()}, {one})[0].item<double>() == 0);
      }
  }

  TEST_CASE("integers and bools are counted in int64, and float sums keep their digits") {
    CHECK(same(etude::tensor({true, true, false}).sum(), etude::tensor(2, kLong)));
    CHECK(etude::arange(3, kInt).sum().dtype() == kLong);
    CHECK(etude::full({10000000}, 0.1f).sum().item<float>() == doctest::Approx(1e6).epsilon(1e-6));
    CHECK(
        same(etude::full({200000}, 16777217, kInt).sum(), etude::tensor(int64_t{200000} * 16777217, kLong)));
  }

  TEST_CASE("over nothing they give their neutral element, nan, or refuse") {
    CHECK(etude::zeros({0}).sum().item<float>() == 0);
    CHECK(etude::zeros({0}).prod().item<float>() == 1);
    CHECK(std::isnan(etude::zeros({0}).mean().item<float>()));
    CHECK(same(etude::zeros({2, 0}).sum(1), etude::zeros({2})));
    CHECK(etude::tensor(3.0).sum(0).item<double>() == 3);
    CHECK(refusal([] {
            etude::zeros({2, 3}).sum(2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([] {
            etude::zeros({2, 3}).sum(IntArrayRef({0, 0}));
          }) == "Error: dim 0 appears multiple times in the list of dims");
    CHECK(refusal([] { etude::arange(3).mean(); }) ==
          "Error: mean(): could not infer output dtype. Input dtype must be either a floating point or "
          "complex dtype. Got: Long");
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return in[0].sum(); },
                        [](const auto& in) { return in[0].sum(1); },
                        [](const auto& in) { return in[0].mean(); },
                        [](const auto& in) {
                          return in[0].mean(IntArrayRef({0, 2}), true);
                        },
                        [](const auto& in) { return in[0].prod(); },
                        [](const auto& in) { return in[0].prod(1); },
                    },
                    {uneven({2, 3, 2})});
  }
}
