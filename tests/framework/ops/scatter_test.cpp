#include <doctest/doctest.h>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("scatter") {
  const Tensor x = etude::tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("writes each element of the source where the index says, along the dim") {
    CHECK(same(x.scatter(1, etude::tensor({{2, 0}, {1, 1}}), etude::tensor({{5., 6.}, {7., 8.}})),
               etude::tensor({{6., 1., 5.}, {10., 8., 12.}})));
    CHECK(same(x.scatter(0, etude::tensor({{1, 0, 1}}), etude::tensor({{5., 6., 7.}})),
               etude::tensor({{0., 6., 2.}, {5., 11., 7.}})));
    CHECK(same(x.scatter(-1, etude::tensor({{0}}), 9), etude::tensor({{9., 1., 2.}, {10., 11., 12.}})));
    CHECK(same(x.t().scatter(0, etude::tensor({{2, 0}}).expand({3, 2}), -1.0),
               etude::tensor({{0., -1.}, {1., 11.}, {-1., 12.}})));
    CHECK(same(etude::tensor({true, false}).scatter(0, etude::tensor({1}), 3), etude::tensor({true, true})));
    CHECK(same(etude::tensor({1, 2}).scatter(0, etude::tensor({0}), 7.9), etude::tensor({7, 2})));
    CHECK(same(x, etude::tensor({{0., 1., 2.}, {10., 11., 12.}})));
  }

  TEST_CASE("adds or multiplies, every element that is named") {
    const Tensor k = etude::tensor({{0, 0, 2}}), s = etude::tensor({{2., 3., 4.}});
    CHECK(same(x.scatter_add(1, k, s), etude::tensor({{5., 1., 6.}, {10., 11., 12.}})));
    CHECK(same(x.scatter(1, k, s, "add"), x.scatter_add(1, k, s)));
    CHECK(same(x.scatter(1, k, s + 1, "multiply"), etude::tensor({{0., 1., 10.}, {10., 11., 12.}})));
    CHECK(same(x.scatter(1, k, 2, "multiply"), etude::tensor({{0., 1., 4.}, {10., 11., 12.}})));
    CHECK(same(x.scatter(1, k, 0.5, "add"), etude::tensor({{1., 1., 2.5}, {10., 11., 12.}})));
    CHECK(same(etude::tensor({250, 1}, kByte).scatter_add(0, etude::tensor({0}), etude::tensor({9}, kByte)),
               etude::tensor({3, 1}, kByte)));
    CHECK(
        same(etude::tensor({true, false}).scatter_add(0, etude::tensor({0, 1}), etude::tensor({true, true})),
             etude::tensor({true, true})));
  }

  TEST_CASE("0-dim tensors count as vectors of one element, and an empty index changes nothing") {
    CHECK(same(etude::tensor(1.).scatter(0, etude::tensor(0), etude::tensor(3.)), etude::tensor(3.)));
    CHECK(same(etude::tensor(1.).scatter_add(0, etude::tensor({0, 0}), etude::tensor({3., 4.})),
               etude::tensor(8.)));
    CHECK(same(x.scatter(0, etude::empty({0}, kLong), etude::zeros({3, 2, 2})), x));
    CHECK(same(etude::zeros({0, 3}).scatter_add(1, etude::zeros({0, 2}, kLong), etude::zeros({0, 2})),
               etude::zeros({0, 3})));
  }

  TEST_CASE("in place writes into the memory of a view") {
    const Tensor base = etude::zeros({2, 6});
    const Tensor view = base.slice(1, 0, 6, 2);
    CHECK(view.scatter_(1, etude::tensor({{0, 2, 1}}), etude::tensor({{1., 2., 3.}})).is_same(view));
    CHECK(same(base[0], etude::tensor({1., 0., 3., 0., 2., 0.})));
    view.scatter_(1, etude::tensor({{1}, {0}}), 9)
        .scatter_add_(0, etude::tensor({{1, 1, 1}}), etude::ones({1, 3}));
    CHECK(same(base, etude::tensor({{1., 0., 9., 0., 2., 0.}, {10., 0., 1., 0., 1., 0.}})));
    const Tensor own = etude::tensor({2., 3., 1.});
    own.scatter_(0, etude::tensor({0}), etude::tensor({4.}), "multiply")
        .scatter_(0, etude::tensor({1}), 5, "add");
    CHECK(same(own, etude::tensor({8., 8., 1.})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble), s = a * 0.7 + 0.1;
    const Tensor once = etude::tensor({{2, 0}, {1, 0}}), twice = etude::tensor({{2, 2}, {1, 0}});
    const auto written = [&](const std::vector<Tensor>& in) {
      const Tensor y = in[0].scatter(1, once, in[1].narrow(1, 0, 2));
      return y * y;
    };
    const auto number = [&](const std::vector<Tensor>& in) {
      const Tensor y = in[0].scatter(1, twice, 4);
      return y * y;
    };
    const auto added = [&](const std::vector<Tensor>& in) {
      const Tensor y = in[0].scatter_add(1, twice, in[1].narrow(1, 0, 2));
      return y * y;
    };
    const auto in_place = [&](const std::vector<Tensor>& in) {
      Tensor y = in[0] * 2;
      y.scatter_(1, once, in[1].narrow(1, 0, 2)).scatter_add_(1, twice, in[1].narrow(1, 0, 2));
      return y * y;
    };
    for (const TensorFunction& f :
         {TensorFunction(written), TensorFunction(added), TensorFunction(in_place)}) {
      CHECK(gradcheck(f, {a, s}));
      CHECK(gradgradcheck(f, {a, s}));
    }
    CHECK(gradcheck(number, {a}));
    CHECK(gradgradcheck(number, {a}));
  }

  TEST_CASE("what is reduced has no gradient, and says so when it is asked for") {
    const Tensor leaf = x.clone().requires_grad_();
    const Tensor y = leaf.scatter(0, etude::tensor({{1}}), 2, "add");
    CHECK(node_name(y) == "NotImplemented");
    CHECK(refusal([&] { y.sum().backward(); }) == "Error: derivative for aten::scatter is not implemented");
  }

  TEST_CASE("adds up in the same order for any number of threads") {
    manual_seed(1);
    const Tensor table = etude::randn({40, 300}), index = etude::randint(0, 40, {500, 300}),
                 source = etude::randn({500, 300});
    const ThreadCount restored;
    Tensor first;
    for (int n : {1, 2, 5}) {
      set_num_threads(n);
      const Tensor y = table.scatter_add(0, index, source);
      if (n == 1) first = y;
      else CHECK(same(y, first));
    }
  }

  TEST_CASE("refuses indices, sizes and types that do not fit") {
    const Tensor z = etude::zeros({2, 2});
    CHECK(refusal([&] {
            z.scatter(1, etude::full({1, 1}, 3), 1);
          }) == "Error: index 3 is out of bounds for dimension 1 with size 2");
    CHECK(refusal([&] {
            z.scatter(0, etude::full({1, 1}, -1), 1);
          }) == "Error: index -1 is out of bounds for dimension 0 with size 2");
    CHECK(refusal([&] {
            z.scatter(1, etude::tensor({0, 1}), 1);
          }) == "Error: Index tensor must have the same number of dimensions as self tensor");
    CHECK(refusal([] {
            etude::zeros({2}).scatter(0, etude::tensor({0}), etude::zeros({2, 2}));
          }) == "Error: Index tensor must have the same number of dimensions as src tensor");
    CHECK(refusal([&] {
            z.scatter(1, etude::zeros({3, 2}, kLong), 1);
          }) == newer("Error: Expected index [3, 2] to be no larger than self [2, 2] apart from dimension 1",
                      "Error: Expected index [3, 2] to be smaller than self [2, 2] apart from dimension 1"));
    CHECK(refusal([&] {
            z.scatter_add(1, etude::zeros({1, 3}, kLong), etude::zeros({3, 2}));
          }) == newer("Error: Expected index [1, 3] to be no larger than self [2, 2] apart from dimension 1 "
                      "and to be no larger size than src [3, 2]",
                      "Error: Expected index [1, 3] to be smaller than self [2, 2] apart from dimension 1 "
                      "and to be smaller size than src [3, 2]"));
    CHECK(refusal([&] {
            z.scatter(0, etude::zeros({1, 1}), 1);
          }) == newer("Error: scatter(): Expected dtype int32/int64 for index",
                      "Error: scatter(): Expected dtype int64 for index"));
    CHECK(refusal([&] {
            z.scatter_add(0, etude::zeros({1, 1}, kLong), etude::zeros({1, 1}, kDouble));
          }) == "Error: scatter(): Expected self.dtype to be equal to src.dtype");
    CHECK(refusal([&] {
            z.scatter(0, etude::zeros({1, 1}, kLong), 1, "mean");
          }) == "Error: reduce argument must be either add or multiply.");
    CHECK(refusal([] {
            etude::tensor({1, 2}, kByte).scatter(0, etude::tensor({0}), 300);
          }) == "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] {
            etude::zeros({2}).expand({2, 2}).scatter_(0, etude::zeros({1, 1}, kLong), 1);
          }).find("unsupported operation: more than one element of the written-to tensor") !=
          std::string::npos);
  }

  TEST_CASE("results are contiguous whatever the input is") {
    const Tensor turned = etude::randn({2, 3, 4}).transpose(1, 2), k = etude::zeros({2, 4, 3}, kLong);
    CHECK(turned.scatter(1, k, turned).is_contiguous());
    CHECK(turned.scatter(1, k, 0).is_contiguous());
    CHECK(turned.scatter(1, k, turned, "add").is_contiguous());
    CHECK(turned.scatter_add(1, k, turned).is_contiguous());
  }

  TEST_CASE("scatter_add needs its index again only for the gradient of its source") {
    const Tensor leaf = etude::ones({3}, requires_grad()), k = etude::tensor({0});
    const Tensor y = leaf.scatter_add(0, k, etude::ones({1}));
    k.fill_(1);
    y.sum().backward();
    CHECK(equal(leaf.grad(), etude::ones({3})));
  }
}
