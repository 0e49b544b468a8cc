// Loops that are compiled once for each instruction set, and their threads.
#include "etude/core/detail/vectorised.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/processor.h"
#include "support/thread_count.h"

using namespace etude;
using detail::Isa;

TEST_SUITE("vectorised") {
  TEST_CASE("a limit holds until the next one, and never promises more than the processor has") {
    const Isa had = detail::isa();
    {
      const ProcessorGuard all(Isa::Avx512);
      const Isa best = detail::isa();
#ifdef ETUDE_HAS_WIDE_VECTORS
      CHECK((best == Isa::Baseline || __builtin_cpu_supports("avx2")));
      CHECK((best != Isa::Avx512 || __builtin_cpu_supports("avx512f")));
#else
      CHECK(best == Isa::Baseline);
#endif
      for (const Isa most : kProcessors) {
        const ProcessorGuard guard(most);
        CHECK(detail::isa() == std::min(most, best));
      }
      CHECK(detail::isa() == best);
    }
    CHECK(detail::isa() == had);
  }

  TEST_CASE("a loop runs once, whatever the processor can do") {
    for (const Isa most : kProcessors) {
      const ProcessorGuard guard(most);
      int runs = 0;
      detail::vectorised([&] { ++runs; });
      CHECK(runs == 1);
    }
  }

  TEST_CASE("no compiler fuses a product with a sum, with any instructions") {
    // a + w (b - a) with w (b - a) = (1 + e)^2 / 4 and a = -(1 + 2 e) / 4: zero if the product is rounded.
    const float e = 0x1p-13f;
    const Tensor a = etude::full({100}, -(1 + 2 * e) / 4), b = a + (1 + e);
    for (const Isa most : kProcessors) {
      const ProcessorGuard guard(most);
      CHECK(equal(lerp(a, b, (1 + e) / 4), etude::zeros({100})));
    }
  }

  TEST_CASE(
      "results of pointwise ops have the same bits for any number of threads and with any instructions") {
    const ThreadCount restored;
    const Tensor x = sin(etude::arange(200001, kFloat)), y = cos(etude::arange(200001, kFloat)),
                 v = sin(etude::arange(600000, kFloat)).reshape({600, 1000}).t();
    auto results = [&] {
      return std::vector<Tensor>{x + y,
                                 x * y,
                                 x / y,
                                 x - 0.3,
                                 exp(x),
                                 tanh(x),
                                 sqrt(abs(x)),
                                 maximum(x, y),
                                 pow(abs(x), y),
                                 v * 2,
                                 v.exp(),
                                 lerp(x, y, 0.3),
                                 addcmul(x, x, y, 0.1),
                                 sigmoid(x),
                                 erf(x),
                                 remainder(x, y),
                                 x < y};
    };
    set_num_threads(1);
    const std::vector<Tensor> expected = results();
    for (const int threads : {2, 3, 7})
      for (const detail::Isa isa : kProcessors) {
        set_num_threads(threads);
        const ProcessorGuard guard(isa);
        const std::vector<Tensor> found = results();
        for (size_t i = 0; i < found.size(); ++i) {
          CAPTURE(i);
          CAPTURE(threads);
          CHECK(equal(found[i], expected[i]));
        }
      }
  }
}
