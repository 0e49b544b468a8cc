// What oneDNN computes against formulas, when it declines, and the primitives that it keeps.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "etude/onednn/backend.h"
#include "etude/onednn/detail/onednn.h"

using namespace etude;

TEST_SUITE("oneDNN") {
  namespace {

  // Uneven numbers of both signs.
  std::vector<float> numbers(size_t n, double phase = 0) {
    std::vector<float> x(n);
    for (size_t i = 0; i < n; ++i)
      x[i] = static_cast<float>(2 * std::sin(1.7 * static_cast<double>(i) + phase));
    return x;
  }

  double at(const onednn::Matrix& m, int64_t row, int64_t column) {
    return m.data[m.transposed ? column * m.leading + row : row * m.leading + column];
  }

  void check_gemm(bool a_transposed, bool b_transposed) {
    CAPTURE(a_transposed);
    CAPTURE(b_transposed);
    constexpr int64_t n = 3, m = 4, k = 5, apart = 7;
    const std::vector<float> x = numbers(apart * 5), y = numbers(apart * 5, 1),
                             before = numbers(apart * n, 2);
    std::vector<float> c = before;
    const onednn::Matrix a{x.data(), a_transposed, apart}, b{y.data(), b_transposed, apart};
    REQUIRE(onednn::gemm(n, m, k, 0.5f, a, b, 2, c.data(), apart));
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < apart; ++j) {
        const auto place = static_cast<size_t>(i * apart + j);
        if (j >= m) {
          CHECK(c[place] == before[place]);
          continue;
        }
        double sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += at(a, i, l) * at(b, l, j);
        CHECK(c[place] == doctest::Approx(0.5 * sum + 2 * static_cast<double>(before[place])).epsilon(1e-5));
      }
  }

  const doctest::skip absent(!onednn::available());

  }  // namespace

  TEST_CASE("gemm multiplies matrices of any orientation and adds to what is there" * absent) {
    const onednn::EnabledGuard on(true);
    for (const bool a : {false, true})
      for (const bool b : {false, true}) check_gemm(a, b);
  }

  TEST_CASE("softmax and its logarithm run along the middle" * absent) {
    const onednn::EnabledGuard on(true);
    constexpr size_t outer = 2, length = 3, inner = 4;
    const std::vector<float> x = numbers(outer * length * inner);
    std::vector<float> y(x.size()), logarithm(x.size());
    REQUIRE(onednn::softmax(outer, length, inner, false, x.data(), y.data()));
    REQUIRE(onednn::softmax(outer, length, inner, true, x.data(), logarithm.data()));
    for (size_t o = 0; o < outer; ++o)
      for (size_t i = 0; i < inner; ++i) {
        double sum = 0;
        for (size_t l = 0; l < length; ++l) sum += std::exp(double{x[(o * length + l) * inner + i]});
        for (size_t l = 0; l < length; ++l) {
          const size_t place = (o * length + l) * inner + i;
          CHECK(y[place] == doctest::Approx(std::exp(double{x[place]}) / sum).epsilon(1e-5));
          CHECK(logarithm[place] == doctest::Approx(double{x[place]} - std::log(sum)).epsilon(1e-5));
        }
      }
  }

  TEST_CASE("it declines when it is switched off, and where there is nothing to do, and writes nothing") {
    const std::vector<float> x = numbers(4);
    std::vector<float> y(4, 7);
    const onednn::Matrix m{x.data(), false, 2};
    {
      const onednn::EnabledGuard off(false);
      CHECK_FALSE(onednn::gemm(2, 2, 2, 1, m, m, 0, y.data(), 2));
      CHECK_FALSE(onednn::softmax(1, 4, 1, false, x.data(), y.data()));
    }
    const onednn::EnabledGuard on(true);
    CHECK_FALSE(onednn::softmax(1, 0, 1, false, x.data(), y.data()));
    CHECK(y == std::vector<float>(4, 7));
  }

  TEST_CASE("a primitive is made once for its sizes, and no more than 256 are kept" * absent) {
    const onednn::EnabledGuard on(true);
    const std::vector<float> x = numbers(1000);
    std::vector<float> y(1000);
    const auto softmax_of = [&](int64_t n) { onednn::softmax(1, n, 1, false, x.data(), y.data()); };
    softmax_of(987);
    const int64_t ready = onednn::cached_primitives();
    CHECK(ready > 0);
    softmax_of(987);
    CHECK(onednn::cached_primitives() == ready);
    int64_t most = 0;
    for (int64_t n = 1; n <= 600; ++n) {
      softmax_of(n);
      most = std::max(most, onednn::cached_primitives());
    }
    CHECK(most == 256);
  }
}
