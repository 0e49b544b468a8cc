// oneDNN's results against formulas, and the cases in which it declines.
#include <doctest/doctest.h>

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

  template <typename T>
  double at(const onednn::Matrix<T>& m, int64_t row, int64_t column) {
    return m.data[m.transposed ? column * m.leading + row : row * m.leading + column];
  }

  void check_gemm(bool a_transposed, bool b_transposed) {
    CAPTURE(a_transposed);
    CAPTURE(b_transposed);
    constexpr int64_t n = 3, m = 4, k = 5, apart = 7;
    const std::vector<float> x = numbers(apart * 5), y = numbers(apart * 5, 1),
                             before = numbers(apart * n, 2);
    std::vector<float> c = before;
    const onednn::Matrix<float> a{x.data(), a_transposed, apart}, b{y.data(), b_transposed, apart};
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

  TEST_CASE("products of bfloat16 are rounded once, of any orientation, with a row added" *
            doctest::skip(!onednn::multiplies_bfloat16())) {
    constexpr int64_t n = 3, m = 4, k = 5, apart = 7;
    std::vector<BFloat16> x, y, row;
    for (const float v : numbers(apart * 5)) x.emplace_back(v);
    for (const float v : numbers(apart * 5, 1)) y.emplace_back(v);
    for (const float v : numbers(m, 2)) row.emplace_back(v);
    for (int which = 0; which < 8; ++which) {
      const bool has_row = (which & 4) != 0;
      const onednn::Matrix<BFloat16> a{x.data(), (which & 1) != 0, apart},
          b{y.data(), (which & 2) != 0, apart};
      std::vector<BFloat16> c(apart * n, BFloat16(7));
      REQUIRE(onednn::gemm(n, m, k, a, b, has_row ? row.data() : nullptr, c.data(), apart));
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < apart; ++j) {
          double sum = has_row && j < m ? static_cast<float>(row[static_cast<size_t>(j)]) : 0;
          for (int64_t l = 0; l < k && j < m; ++l) sum += at(a, i, l) * at(b, l, j);
          const double found = static_cast<float>(c[static_cast<size_t>(i * apart + j)]);
          CHECK(found == doctest::Approx(j < m ? sum : 7).epsilon(0x1p-8));
        }
    }
  }

  TEST_CASE("it declines when it is switched off, and writes nothing") {
    const std::vector<float> x = numbers(4);
    std::vector<float> y(4, 7);
    const onednn::Matrix<float> m{x.data(), false, 2};
    const onednn::EnabledGuard off(false);
    CHECK_FALSE(onednn::gemm(2, 2, 2, 1, m, m, 0, y.data(), 2));
    CHECK(y == std::vector<float>(4, 7));
  }
}
