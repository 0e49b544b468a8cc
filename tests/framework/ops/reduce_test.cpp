// Reductions: values against plain loops, edges and refusals as PyTorch has them, the same bits for any
// number of threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "etude/core/shape.h"
#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

namespace {

// Uneven numbers of both signs, as a view that is not contiguous.
Tensor uneven(IntArrayRef sizes, ScalarType dtype = kDouble) {
  std::vector<int64_t> turned = sizes.vec();
  std::reverse(turned.begin(), turned.end());
  const Tensor t = etude::arange(count_elements(sizes), kDouble);
  return (sin(t * 1.7 + 0.3) * 2).to(dtype).view(turned).numpy_T();
}

}  // namespace

TEST_SUITE("reductions") {
  TEST_CASE("sum, mean, var and prod along every dim are what a loop gives") {
    const Tensor x = uneven({3, 4, 5});
    for (int64_t d = 0; d < 3; ++d) {
      CAPTURE(d);
      const Tensor rows = x.transpose(d, 2).contiguous().view({60 / x.size(d), x.size(d)});
      const Tensor sums = x.transpose(d, 2).sum(2).flatten(), products = x.transpose(d, 2).prod(2).flatten();
      for (int64_t i = 0; i < rows.size(0); ++i) {
        double total = 0, product = 1, squares = 0;
        for (int64_t j = 0; j < rows.size(1); ++j) {
          total += rows[i][j].item<double>();
          product *= rows[i][j].item<double>();
        }
        const double n = static_cast<double>(rows.size(1)), mean = total / n;
        for (int64_t j = 0; j < rows.size(1); ++j) squares += std::pow(rows[i][j].item<double>() - mean, 2);
        CHECK(sums[i].item<double>() == doctest::Approx(total));
        CHECK(rows[i].prod().item<double>() == doctest::Approx(product));
        CHECK(products[i].item<double>() == doctest::Approx(product));
        CHECK(rows[i].mean().item<double>() == doctest::Approx(mean));
        CHECK(rows[i].var().item<double>() == doctest::Approx(squares / (n - 1)));
        CHECK(rows[i].std(false).item<double>() == doctest::Approx(std::sqrt(squares / n)));
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
  }

  TEST_CASE("var_mean and std_mean give both at once, and an int is a dim") {
    const Tensor x = uneven({2, 3, 4});
    const auto [variance, mean] = var_mean(x, IntArrayRef({0, 2}), false, true);
    CHECK(same(variance, x.var(IntArrayRef({0, 2}), false, true)));
    CHECK(allclose(mean, x.mean(IntArrayRef({0, 2}), true)));
    const auto [deviation, average] = std_mean(x, 1);
    CHECK(same(deviation, x.std(1)));
    CHECK(deviation.sizes() == IntArrayRef({2, 4}));
    CHECK(allclose(average, x.mean(1)));
    CHECK(same(std::get<0>(std_mean(x, false)), x.std(false)));
    CHECK(same(std::get<0>(var_mean(x, 2)), etude::var(x, 2)));
    CHECK(etude::std(x, 0).sizes() == IntArrayRef({3, 4}));
    CHECK(std::get<0>(var_mean(etude::zeros({1}))).isnan().item<bool>());
    CHECK(refusal([] { var_mean(etude::arange(3)); }) ==
          "Error: var_mean only support floating point and complex dtypes");
    CHECK(refusal([] { std_mean(etude::arange(3), 0); }) ==
          "Error: std_mean only support floating point and complex dtypes");
  }

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

  TEST_CASE("all, any, cumsum, logsumexp and norm are what their formulas say") {
    const Tensor x = uneven({4, 3});
    CHECK(etude::tensor({true, false}).any().item<bool>());
    CHECK_FALSE(etude::tensor({true, false}).all().item<bool>());
    CHECK(same(etude::tensor({{1, 2}, {3, 4}}).cumsum(0), etude::tensor({{1, 2}, {4, 6}})));
    CHECK(allclose(logsumexp(x, 0), log(exp(x).sum(0))));
    CHECK(logsumexp(etude::full({2}, 1000, kDouble), 0).item<double>() ==
          doctest::Approx(1000 + std::log(2.0)));
    CHECK(allclose(x.norm(), sqrt((x * x).sum())));
    CHECK(allclose(x.norm(Scalar(1), 1), x.abs().sum(1)));
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
    CHECK(std::get<0>(etude::zeros({3, 0}).max(0)).sizes() == IntArrayRef({0}));
    CHECK(std::isnan(etude::zeros({1}).var().item<float>()));
    CHECK(etude::tensor(3.0).sum(0).item<double>() == 3);
    CHECK(refusal([] { etude::zeros({0}).max(); }) ==
          "Error: max(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
          "reduction dim with the 'dim' "
          "argument.");
    CHECK(refusal([] {
            etude::zeros({0, 3}).max(0);
          }) == "IndexError: max(): Expected reduction dim 0 to have non-zero size.");
    CHECK(refusal([] {
            etude::zeros({2, 3}).sum(2);
          }) == "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([] {
            etude::zeros({2, 3}).sum(IntArrayRef({0, 0}));
          }) == "Error: dim 0 appears multiple times in the list of dims");
    CHECK(refusal([] { etude::arange(3).mean(); }) ==
          "Error: mean(): could not infer output dtype. Input dtype must be either a floating point or "
          "complex dtype. Got: Long");
    CHECK(refusal([] { etude::arange(3).std(); }) ==
          "Error: std and var only support floating point and complex dtypes");
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    const std::vector<TensorFunction> functions = {
        [](const auto& in) { return in[0].sum(); },
        [](const auto& in) { return in[0].sum(1); },
        [](const auto& in) { return in[0].mean(); },
        [](const auto& in) {
          return in[0].mean(IntArrayRef({0, 2}), true);
        },
        [](const auto& in) { return in[0].var(1); },
        [](const auto& in) { return in[0].std(); },
        [](const auto& in) {
          return std::get<0>(var_mean(in[0], IntArrayRef({0, 2})));
        },
        [](const auto& in) { return std::get<1>(std_mean(in[0])) * in[0]; },
        [](const auto& in) {
          const auto [spread, mean] = var_mean(in[0], 1, /*unbiased=*/false, /*keepdim=*/true);
          return spread * mean;
        },
        [](const auto& in) {
          const auto [spread, mean] = std_mean(in[0], 1);
          return spread * mean;
        },
        [](const auto& in) { return in[0].prod(); },
        [](const auto& in) { return in[0].prod(1); },
        [](const auto& in) { return in[0].max(); },
        [](const auto& in) { return std::get<0>(in[0].min(0)); },
        [](const auto& in) { return in[0].cumsum(1); },
        [](const auto& in) { return in[0].logsumexp(2); },
        [](const auto& in) { return in[0].norm(); },
        [](const auto& in) { return in[0].norm(Scalar(3), 1); },
    };
    for (size_t i = 0; i < functions.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck(functions[i], {uneven({2, 3, 2})}));
      CHECK(gradgradcheck(functions[i], {uneven({2, 3, 2})}));
    }
  }
}
