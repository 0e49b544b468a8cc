// The kernels of pointwise ops, one for each instruction set, and their threads.
#include <doctest/doctest.h>

#include <vector>

#include "etude/core/detail/vectorised.h"
#include "etude/core/parallel.h"
#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("elementwise, inside") {
  TEST_CASE("results have the same bits for any number of threads and with any instructions") {
    const int before = get_num_threads();
    const detail::Isa best = detail::isa();
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
                                 gelu(x),
                                 remainder(x, y),
                                 x < y};
    };
    set_num_threads(1);
    const std::vector<Tensor> expected = results();
    for (const int threads : {2, 3, 7})
      for (const detail::Isa isa : {detail::Isa::Baseline, detail::Isa::Avx2, detail::Isa::Avx512}) {
        set_num_threads(threads);
        detail::limit_isa(isa);
        const std::vector<Tensor> found = results();
        for (size_t i = 0; i < found.size(); ++i) {
          CAPTURE(i);
          CAPTURE(threads);
          CHECK(equal(found[i], expected[i]));
        }
      }
    set_num_threads(before);
    detail::limit_isa(best);
  }
}
