// Second gradients of distances, which PyTorch has only for the matrix product.
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("cdist, beyond LibTorch") {
  namespace {

  using List = std::vector<Tensor>;

  }  // namespace

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor a = uneven({3, 2}).sin().to(kDouble), b = uneven({2, 2}).cos().to(kDouble);
    for (const double p : {0., 0.5, 1., 1.5, 2., 3., std::numeric_limits<double>::infinity()})
      check_gradients({[p](const List& in) { return etude::cdist(in[0], in[1], p); }}, {a, b});
    check_gradients({[](const List& in) { return etude::cdist(in[0], in[1], 3); }},
                    {uneven({2, 1, 2, 2}).to(kDouble), uneven({2, 3, 2}).sin().to(kDouble)});
  }

  TEST_CASE("second gradients where a column is equal") {
    const Tensor a = etude::tensor({{1., 2.}}, kDouble), b = etude::tensor({{1., 5.}}, kDouble);
    for (const double p : {2., 3., 4.})
      check_gradients({[p](const List& in) { return etude::cdist(in[0], in[1], p); }}, {a, b});
  }

  TEST_CASE("equal rows have gradients of zero, twice") {
    for (const optional<int64_t> mode : {optional<int64_t>(1), optional<int64_t>(2)}) {
      const Tensor x = etude::ones({2, 3}, requires_grad()), y = etude::cdist(x, x, 2, mode);
      const Tensor dx = autograd::grad({y.sum()}, {x}, {}, true, true)[0];
      CHECK(same(dx.detach(), etude::zeros({2, 3})));
      CHECK(autograd::grad({dx.sum()}, {x})[0].isfinite().all().item<bool>());
    }
    const Tensor x = etude::ones({30, 3}, requires_grad());
    CHECK(node_name(etude::cdist(x, x)) == "EuclideanDistBackward0");
  }
}
