// The plain kernel, step by step.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/processor.h"

using namespace etude;

TEST_SUITE("matrix products, inside") {
  TEST_CASE_TEMPLATE("a step is rounded once with fused multiply-adds and twice without", T, float, double) {
    const onednn::EnabledGuard plain(false);
    const Tensor a = sin(etude::arange(15, kDouble)).to(TypeMeta::Make<T>()).view({3, 5}),
                 b = cos(etude::arange(100, kDouble)).to(TypeMeta::Make<T>()).view({5, 20});
    for (const detail::Isa most : kProcessors) {
      const ProcessorGuard guard(most);
      const Tensor c = a.mm(b);
      for (int64_t i = 0; i < 3; ++i)
        for (int64_t j = 0; j < 20; ++j) {
          T sum = 0;
          for (int64_t k = 0; k < 5; ++k) {
            const T x = a[i][k].item<T>(), y = b[k][j].item<T>(), product = x * y;
            sum = detail::has_fma() ? std::fma(x, y, sum) : sum + product;
          }
          REQUIRE(c[i][j].item<T>() == sum);
        }
    }
  }

  TEST_CASE("wide instructions multiply and add in one, and so do ARM's") {
#if defined(__aarch64__)
    CHECK(detail::has_fma());
#endif
    for (const detail::Isa most : kProcessors) {
      const ProcessorGuard guard(most);
      if (detail::isa() != detail::Isa::Baseline) CHECK(detail::has_fma());
    }
  }

  // Here, since LibTorch leaves it to its BLAS, and these differ.
  TEST_CASE("a factor of zero leaves the product out, infinities too") {
    for (const auto type : {kFloat, kDouble}) {
      const Tensor wild = etude::full({2, 2}, std::numeric_limits<double>::infinity(), type);
      CHECK(etude::equal(addmm(etude::ones({2, 2}, type), wild, wild, 1, 0), etude::ones({2, 2}, type)));
      CHECK(etude::equal(addmm(wild, wild, wild, 0, 0), etude::zeros({2, 2}, type)));
    }
  }
}
