#include <doctest/doctest.h>

#include "etude/core/shape.h"
#include "etude/ops/ops.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("tensordot") {
  namespace {

  Tensor waves(IntArrayRef sizes, double phase) {
    return sin(etude::arange(count_elements(sizes), kDouble) * 0.7 + phase).view(sizes);
  }

  }  // namespace

  TEST_CASE("tensordot sums over dims that go together") {
    const Tensor a = waves({2, 3, 4}, 0), b = waves({4, 5, 3}, 1);
    CHECK(allclose(tensordot(a, b, {1, 2}, {2, 0}), einsum("aij,jbi->ab", {a, b})));
    CHECK(allclose(tensordot(a, b, {-1}, {0}), einsum("aij,jbc->aibc", {a, b})));
    CHECK(allclose(tensordot(a, waves({5, 1}, 2), {2}, {1}), einsum("aij,b->aib", {a, waves({5}, 2)})));
    CHECK(allclose(tensordot(waves({2, 1}, 2), a, {1}, {1}), einsum("a,bic->abc", {waves({2}, 2), a})));
    CHECK(tensordot(waves({2, 3}, 0), waves({3, 2}, 0), {0, 1}, {1, 0}).sizes() == IntArrayRef());
    CHECK(same(tensordot(etude::tensor({1, 2}), etude::tensor({3, 4}), {}, {}),
               etude::tensor({{3, 4}, {6, 8}})));
    CHECK(tensordot(etude::zeros({2, 0}), etude::zeros({0, 3}), {1}, {0}).sizes() == IntArrayRef({2, 3}));
    const Tensor leaf = etude::ones({2, 3}, requires_grad());
    CHECK(node_name(tensordot(leaf, leaf, {1}, {1})) == newer("ViewBackward0", "ReshapeAliasBackward0"));
    CHECK(refusal([&] {
            tensordot(a, b, {1, 2}, {0});
          }) == "Error: both dimension lists should have same length");
    CHECK(
        refusal_text([&] { tensordot(a, b, {1}, {1}); }) ==
        "contracted dimensions need to match, but first has size 3 in dim 1 and second has size 5 in dim 1");
    CHECK(refusal_text([&] { tensordot(leaf, leaf.to(kDouble), {1}, {1}); }) ==
          newer("both inputs should have same dtype", "expected scalar type Float but found Double"));
    CHECK(refusal_text([&] {
            tensordot(a, b, {1, 1}, {2, 2});
          }) == "dim 1 appears multiple times in the list of dims");
    CHECK(refusal_text([&] { tensordot(a, b, {3}, {0}); }) ==
          "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    check_gradients({[](const std::vector<Tensor>& in) {
                       return tensordot(in[0], in[1], {2, 1}, {0, 1});
                     },
                     [](const std::vector<Tensor>& in) { return tensordot(in[0], in[1], {}, {}); }},
                    {waves({2, 3, 2}, 0), waves({2, 3, 2}, 1)});
    check_gradients({[](const std::vector<Tensor>& in) { return tensordot(in[0], in[1], {1}, {0}); }},
                    {waves({2, 1}, 0), waves({3, 2}, 1)});
  }
}
