// The tensors that nodes keep alive, from reference counts.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/leaf.h"
#include "support/names_of.h"

using namespace etude;

TEST_SUITE("node, inside") {
  TEST_CASE("a graph frees its saved tensors when it is dropped without backward") {
    const Tensor x = leaf({1.0, 2.0});
    Tensor y = x.exp();
    const Tensor data = y.detach();
    CHECK(names_of(data) == 3);
    y = Tensor();
    CHECK(names_of(data) == 1);
  }

  TEST_CASE("a tensor does not keep itself alive by what its own op saved") {
    const Tensor x = leaf({1.0});
    const Tensor data = [&] { return x.sigmoid().tanh().detach(); }();
    CHECK(names_of(data) == 1);
  }
}
