// Variances and standard deviations, alone and with the mean.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("var and std") {
  TEST_CASE("var and std along every dim are what a loop gives") {
    const Tensor x = uneven({3, 4, 5});
    for (int64_t d = 0; d < 3; ++d) {
      CAPTURE(d);
      const Tensor rows = x.transpose(d, 2).contiguous().view({60 / x.size(d), x.size(d)});
      const Tensor variances = x.transpose(d, 2).var(2).flatten();
      for (int64_t i = 0; i < rows.size(0); ++i) {
        const double n = static_cast<double>(rows.size(1));
        double total = 0, squares = 0;
        for (int64_t j = 0; j < rows.size(1); ++j) total += rows[i][j].item<double>();
        for (int64_t j = 0; j < rows.size(1); ++j)
          squares += std::pow(rows[i][j].item<double>() - total / n, 2);
        CHECK(rows[i].var().item<double>() == doctest::Approx(squares / (n - 1)));
        CHECK(variances[i].item<double>() == doctest::Approx(squares / (n - 1)));
        CHECK(rows[i].std(false).item<double>() == doctest::Approx(std::sqrt(squares / n)));
      }
    }
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

  TEST_CASE("of one element they are nan, and of integers refused") {
    CHECK(std::isnan(etude::zeros({1}).var().item<float>()));
    CHECK(refusal([] { etude::arange(3).std(); }) ==
          "Error: std and var only support floating point and complex dtypes");
  }

  TEST_CASE("their gradients and second gradients are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return in[0].var(1); },
                        [](const auto& in) { return in[0].std(); },
                        [](const auto& in) {
                          return std::get<0>(var_mean(in[0], IntArrayRef({0, 2})));
                        },
                        [](const auto& in) { return std::get<1>(std_mean(in[0])) * in[0]; },
                        [](const auto& in) {
                          const auto [spread, mean] =
                              var_mean(in[0], 1, /*unbiased=*/false, /*keepdim=*/true);
                          return spread * mean;
                        },
                        [](const auto& in) {
                          const auto [spread, mean] = std_mean(in[0], 1);
                          return spread * mean;
                        },
                    },
                    {uneven({2, 3, 2})});
  }

  TEST_CASE("the mean is no view") {
    const Tensor x = etude::ones({2, 3});
    CHECK_FALSE(std::get<1>(var_mean(x, 1)).is_view());
    CHECK_FALSE(std::get<1>(std_mean(x, 1, true, true)).is_view());
  }
}
