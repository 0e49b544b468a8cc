// Guarantees for threads beyond LibTorch, where two threads may walk the same graph.
#include <doctest/doctest.h>

#include <atomic>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/on_threads.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("threads in autograd, beyond LibTorch") {
  TEST_CASE("one thread walks a graph that is not retained, and the others are told") {
    for (int round = 0; round < 100; ++round) {
      const Tensor x = etude::ones({8}, TensorOptions().requires_grad(true)), y = x * x;
      std::atomic<int> refused{0};
      on_threads(2, [&](int) {
        const std::string why = refusal([&] { y.sum().backward(); });
        if (why.find("Trying to backward through the graph a second time") != std::string::npos) ++refused;
      });
      REQUIRE(refused == 1);
      REQUIRE(equal(x.grad(), etude::full({8}, 2.0)));
    }
  }
}
