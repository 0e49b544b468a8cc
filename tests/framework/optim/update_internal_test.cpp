// The loops of the optimizers with each set of instructions.
#include <doctest/doctest.h>

#include "etude/core/detail/vectorised.h"
#include "etude/ops/ops.h"
#include "framework/optim/every_optimizer.h"
#include "support/processor.h"

using namespace etude;

TEST_SUITE("every optimizer, inside") {
  TEST_CASE_TEMPLATE("wide and narrow instructions give the same bits", O, EVERY_OPTIMIZER) {
    auto stepped = [](etude::detail::Isa isa, ScalarType dtype) {
      const ProcessorGuard processor(isa);
      const Tensor wave = etude::sin(etude::arange(1, 100, kDouble)).to(dtype);
      const Tensor p = every::leaf(wave, wave.flip({0}));
      O optimizer({p}, every::options_of<O>());
      for (int i = 0; i < 3; ++i) optimizer.step();
      return p.detach();
    };
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
      const Tensor expected = stepped(etude::detail::Isa::Baseline, dtype);
      CHECK(stepped(etude::detail::Isa::Avx2, dtype).equal(expected));
      CHECK(stepped(etude::detail::Isa::Avx512, dtype).equal(expected));
    }
  }
}
