// index and index_put_ with lists of tensors, and index_put_ that adds.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("index with lists") {
  TEST_CASE("index and index_put_ take lists of tensors, left out where a dim is taken whole") {
    Tensor x = etude::tensor({{1., 2., 3.}, {4., 5., 6.}}), columns = etude::tensor({2, 0});
    CHECK(same(etude::index(x, {columns.slice(0, 1)}), etude::tensor({{1., 2., 3.}})));
    CHECK(same(etude::index(x, {nullopt, columns}), etude::tensor({{3., 1.}, {6., 4.}})));
    CHECK(same(etude::index(x, {etude::tensor({1, 0}), columns}), etude::tensor({6., 1.})));
    CHECK(same(etude::index(x, {x > 4}), etude::tensor({5., 6.})));
    CHECK(same(etude::index_put_(x, {nullopt, columns}, etude::tensor(9.)),
               etude::tensor({{9., 2., 9.}, {9., 5., 9.}})));
  }

  TEST_CASE("an accumulating index_put_ adds once for every time that an element is named, for every type") {
    const Tensor twice = etude::tensor({0, 0, 1}), start = etude::tensor({1, 0, 1}),
                 ones_of = etude::tensor({1, 1, 1});
    for (ScalarType t : {kByte, kInt, kLong, kFloat, kDouble}) {
      Tensor x = start.to(t).clone();
      CHECK(x.index_put_({twice}, ones_of.to(t), true).is_same(x));
      CHECK(same(x, etude::tensor({3, 1, 1}).to(t)));
      x.index_put_({twice}, ones_of.to(t), false);
      CHECK(same(x, etude::tensor({1, 1, 1}).to(t)));
    }
    CHECK(same(start.to(kBool).index_put_({twice}, ones_of.to(kBool), true), ones_of.to(kBool)));
    CHECK(same(etude::zeros({3, 2}).index_put_({twice}, etude::tensor(1.), true),
               etude::tensor({{2., 2.}, {1., 1.}, {0., 0.}})));
    CHECK(same(etude::ones({3}).index_put_({etude::tensor({true, false, true})}, etude::tensor({5.}), true),
               etude::tensor({6., 1., 6.})));
    const Tensor base = etude::zeros({2, 3});
    base.t().index_put_({twice}, etude::tensor({1., 10.}), true);
    CHECK(same(base, etude::tensor({{2., 1., 0.}, {20., 10., 0.}})));
    CHECK(same(etude::ones({2}).index_put_({etude::zeros({0}, kLong)}, etude::zeros({0}), true),
               etude::ones({2})));
    CHECK(refusal([] {
            etude::ones({3}).index_put_({etude::tensor({3})}, etude::tensor(1.), true);
          }).rfind("IndexError: index 3 is out of bounds for dimension 0 with size 3", 0) == 0);
    CHECK(refusal([] { etude::ones({3}).index_put_({etude::tensor({0})}, etude::tensor({1}), true); }) ==
          "Error: Index put requires the source and destination dtypes match, got Float for the destination "
          "and Long "
          "for the source.");
  }

  TEST_CASE("the gradient of an accumulating index_put_ reaches what was there and every value") {
    const Tensor x = etude::tensor({{0.3, -0.7}, {1.1, 0.4}, {0.2, 0.9}}, kDouble),
                 rows = etude::tensor({0, 2, 0}),
                 v = etude::tensor({{0.5, 1.5}, {2.5, -0.5}, {0.1, 0.7}}, kDouble),
                 one = etude::tensor({0.5, 1.5}, kDouble);
    for (const Tensor& value : {v, one}) {
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        Tensor y = in[0] * in[0];
        y.index_put_({rows}, in[1] * in[1], true);
        return y * y;
      };
      CHECK(gradcheck(f, {x, value}));
      CHECK(gradgradcheck(f, {x, value}));
    }
    const TensorFunction picked = [&](const std::vector<Tensor>& in) {
      return etude::index(in[0] * in[0], {rows});
    };
    CHECK(gradcheck(picked, {x}));
    CHECK(gradgradcheck(picked, {x}));
    Tensor leaf = etude::ones({3}, requires_grad()), y = leaf * 2;
    y.index_put_({etude::tensor({0, 0, 1})}, etude::ones({3}), true);
    CHECK(node_name(y) == "IndexPutBackward0");
  }
}
