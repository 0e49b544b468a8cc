#include <doctest/doctest.h>

#include <vector>

#include "etude/autograd/gradcheck.h"
#include "etude/core/memory.h"
#include "etude/ops/ops.h"

using namespace etude;

TEST_SUITE("views") {
  TEST_CASE("the gradients of many parts of a tensor are added up in one tensor") {
    const int64_t parts = 16, bytes = parts * 65536 * 4;
    const Tensor x = randn({parts, 65536}).requires_grad_(), w = randn({parts, 1});
    Tensor loss = zeros({});
    for (int64_t i = 0; i < parts; ++i) loss = loss + (x[i] * w[i]).sum();
    const int64_t before = memory::stats().in_use;
    memory::reset_most_in_use();
    loss.backward();
    // Once for the gradients of all parts, and once for that of x.
    CHECK(memory::stats().most_in_use - before < bytes * 5 / 2);
    CHECK(equal(x.grad(), w.expand({parts, 65536})));
  }

  TEST_CASE("parts may overlap, and add to gradients of other ops and of other layouts") {
    const Tensor leaf = randn({5, 6}, kDouble).requires_grad_();
    const Tensor weight = randn({5, 6}, kDouble);
    Tensor expected = weight.clone();
    const auto loss_of = [&](const Tensor& x) {
      return (x * weight).sum() + x.select(0, 2).sum() + 2 * x.slice(1, 1, 5, 2).sum() +
             3 * x.diagonal().sum() + 4 * x.narrow(0, 1, 2).sum() + 5 * x.select(1, 3).sum();
    };
    expected.select(0, 2).add_(1);
    expected.slice(1, 1, 5, 2).add_(2);
    expected.diagonal().add_(3);
    expected.narrow(0, 1, 2).add_(4);
    expected.select(1, 3).add_(5);
    SUBCASE("of a leaf, whose grad is added to") {
      loss_of(leaf).backward();
      loss_of(leaf).backward();
      CHECK(allclose(leaf.grad(), 2 * expected));
    }
    SUBCASE("of a transposed tensor that keeps its gradient") {
      const Tensor x = leaf.t().exp().t();
      x.retain_grad();
      loss_of(x).backward();
      CHECK(allclose(x.grad(), expected));
      CHECK(allclose(leaf.grad(), expected * leaf.exp()));
    }
    SUBCASE("where gradients are taken of some parts alone, twice") {
      const Tensor row = leaf.select(0, 2);
      const Tensor loss = loss_of(leaf) + row.pow(2).sum();
      const autograd::variable_list twice = {autograd::grad({loss}, {leaf}, {}, true)[0],
                                             autograd::grad({loss}, {leaf})[0]};
      expected.select(0, 2).add_(2 * row.detach());
      for (const Tensor& g : twice) CHECK(allclose(g, expected));
    }
    SUBCASE("of second gradients") {
      const auto f = [&](const autograd::variable_list& in) {
        return (in[0].select(0, 2) * in[0].select(0, 3)).pow(2).sum() + in[0].diagonal().pow(3).sum();
      };
      CHECK(autograd::gradcheck(f, {leaf}));
      CHECK(autograd::gradgradcheck(f, {leaf}));
    }
  }
}
