// index and index_put_ with lists of tensors, and index_put_ that adds.
#include <doctest/doctest.h>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("index with lists") {
  TEST_CASE("index and index_put_ take lists of tensors, left out where a dim is taken whole") {
    const Tensor x = tensor({{1., 2., 3.}, {4., 5., 6.}}), columns = tensor({2, 0});
    CHECK(same(etude::index(x, {columns.slice(0, 1)}), tensor({{1., 2., 3.}})));
    CHECK(same(etude::index(x, {nullopt, columns}), tensor({{3., 1.}, {6., 4.}})));
    CHECK(same(etude::index(x, {tensor({1, 0}), columns}), tensor({6., 1.})));
    CHECK(same(etude::index(x, {x > 4}), tensor({5., 6.})));
    CHECK(same(etude::index_put_(x, {nullopt, columns}, tensor(9.)), tensor({{9., 2., 9.}, {9., 5., 9.}})));
    CHECK(refusal([&] { etude::index(x, {nullopt}); }) == "IndexError: at least one index must be a tensor");
    CHECK(refusal([&] { etude::index_put_(x, {}, x); }) == "IndexError: at least one index must be a tensor");
  }

  TEST_CASE("an accumulating index_put_ adds once for every time that an element is named, for every type") {
    const Tensor twice = tensor({0, 0, 1}), start = tensor({1, 0, 1}), ones_of = tensor({1, 1, 1});
    for (ScalarType t : {kByte, kInt, kLong, kFloat, kDouble}) {
      const Tensor x = start.to(t).clone();
      CHECK(x.index_put_({twice}, ones_of.to(t), true).is_same(x));
      CHECK(same(x, tensor({3, 1, 1}).to(t)));
      x.index_put_({twice}, ones_of.to(t), false);
      CHECK(same(x, tensor({1, 1, 1}).to(t)));
    }
    CHECK(same(start.to(kBool).index_put_({twice}, ones_of.to(kBool), true), ones_of.to(kBool)));
    CHECK(same(zeros({3, 2}).index_put_({twice}, tensor(1.), true), tensor({{2., 2.}, {1., 1.}, {0., 0.}})));
    CHECK(
        same(ones({3}).index_put_({tensor({true, false, true})}, tensor({5.}), true), tensor({6., 1., 6.})));
    const Tensor base = zeros({2, 3});
    base.t().index_put_({twice}, tensor({1., 10.}), true);
    CHECK(same(base, tensor({{2., 1., 0.}, {20., 10., 0.}})));
    const Tensor itself = tensor({1., 2.});
    CHECK(same(itself.index_put_({tensor({1, 1})}, itself, true), tensor({1., 5.})));
    CHECK(same(ones({2}).index_put_({zeros({0}, kLong)}, zeros({0}), true), ones({2})));
    CHECK(refusal([] {
            ones({3}).index_put_({tensor({3})}, tensor(1.), true);
          }).rfind("IndexError: index 3 is out of bounds for dimension 0 with size 3", 0) == 0);
    CHECK(refusal([] { ones({3}).index_put_({tensor({0})}, tensor({1}), true); }) ==
          "Error: Index put requires the source and destination dtypes match, got Float for the destination "
          "and Long "
          "for the source.");
  }

  TEST_CASE("the gradient of an accumulating index_put_ reaches what was there and every value") {
    const Tensor x = tensor({{0.3, -0.7}, {1.1, 0.4}, {0.2, 0.9}}, kDouble), rows = tensor({0, 2, 0}),
                 v = tensor({{0.5, 1.5}, {2.5, -0.5}, {0.1, 0.7}}, kDouble),
                 one = tensor({0.5, 1.5}, kDouble);
    for (const Tensor& value : {v, one}) {
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        const Tensor y = in[0] * in[0];
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
    const Tensor leaf = ones({3}, requires_grad()), y = leaf * 2;
    y.index_put_({tensor({0, 0, 1})}, ones({3}), true);
    CHECK(std::string(y.grad_fn_name()) == "IndexPutBackward0");
  }
}
