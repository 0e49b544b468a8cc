#include <doctest/doctest.h>

#include <limits>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("gather") {
  const Tensor x = etude::tensor({{0., 1., 2.}, {10., 11., 12.}});

  TEST_CASE("takes from each lane along the dim the element that the index names") {
    CHECK(same(x.gather(1, etude::tensor({{2, 0}, {1, 1}})), etude::tensor({{2., 0.}, {11., 11.}})));
    CHECK(same(x.gather(0, etude::tensor({{1, 0, 1}})), etude::tensor({{10., 1., 12.}})));
    CHECK(same(x.gather(-1, etude::tensor({{2}})), etude::tensor({{2.}})));
    CHECK(same(x.gather(0, etude::tensor({{0}, {1}, {1}})), etude::tensor({{0.}, {10.}, {10.}})));
    CHECK(
        same(x.t().gather(0, etude::tensor({{2, 0}}).expand({2, 2})), etude::tensor({{2., 10.}, {2., 10.}})));
    CHECK(same(etude::tensor({true, false}).gather(0, etude::tensor({1, 0, 0})),
               etude::tensor({false, true, true})));
  }

  TEST_CASE("0-dim tensors count as vectors of one element") {
    CHECK(same(etude::tensor(5.).gather(0, etude::tensor(0)), etude::tensor(5.)));
    CHECK(same(etude::tensor(5.).gather(0, etude::tensor({0, 0})), etude::tensor({5., 5.})));
    CHECK(same(etude::tensor({5., 6.}).gather(-1, etude::tensor(1)), etude::tensor(6.)));
  }

  TEST_CASE("an empty index gives an empty result of its sizes") {
    CHECK(same(x.gather(0, etude::empty({0}, kLong)), etude::zeros({0})));
    CHECK(same(x.gather(0, etude::empty({0, 7}, kLong)), etude::zeros({0, 7})));
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor y = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble);
    for (int64_t dim : {0, 1}) {
      const Tensor index =
          dim == 0 ? etude::tensor({{1, 1, 0}, {0, 1, 0}, {1, 1, 1}}) : etude::tensor({{2, 2, 0, 1}});
      const TensorFunction f = [&](const std::vector<Tensor>& in) {
        return in[0].gather(dim, index) * in[0].gather(dim, index);
      };
      CHECK(gradcheck(f, {y}));
      CHECK(gradgradcheck(f, {y}));
    }
    const TensorFunction of_number = [](const std::vector<Tensor>& in) {
      return in[0].gather(0, etude::tensor({0, 0})) * in[0];
    };
    CHECK(gradcheck(of_number, {etude::tensor(1.5, kDouble)}));
    CHECK(gradgradcheck(of_number, {etude::tensor(1.5, kDouble)}));
    CHECK(gradcheck(
        [](const std::vector<Tensor>& in) {
          return in[0].gather(0, etude::empty({0, 3}, kLong));
        },
        {y}));
  }

  TEST_CASE("gradients add up in the same order for any number of threads") {
    manual_seed(1);
    const Tensor table = etude::randn({40, 300}), index = etude::randint(0, 40, {500, 300}),
                 dy = etude::randn({500, 300});
    const ThreadCount restored;
    Tensor first;
    for (int n : {1, 2, 5}) {
      set_num_threads(n);
      const Tensor leaf = table.clone().set_requires_grad(true);
      leaf.gather(0, index).backward(dy);
      if (n == 1) first = leaf.grad();
      else CHECK(same(leaf.grad(), first));
    }
  }

  TEST_CASE("refuses an index out of range, of another type or of sizes that do not fit") {
    const Tensor y = etude::zeros({4, 5});
    CHECK(refusal([&] {
            y.gather(0, etude::full({1, 1}, 4));
          }) == "Error: index 4 is out of bounds for dimension 0 with size 4");
    CHECK(refusal([&] {
            y.gather(1, etude::full({1, 1}, -1));
          }) == "Error: index -1 is out of bounds for dimension 1 with size 5");
    CHECK(refusal([&] { etude::zeros({0}).gather(0, etude::tensor({0})); }) ==
          "Error: index 0 is out of bounds for dimension 0 with size 0");
    CHECK(refusal([&] { y.gather(0, etude::tensor({{0.}})); }) ==
          newer("Error: gather(): Expected dtype int32/int64 for index",
                "Error: gather(): Expected dtype int64 for index"));
    CHECK(refusal([&] { y.gather(0, etude::tensor({0})); }) ==
          "Error: Index tensor must have the same number of dimensions as input tensor");
    CHECK(refusal([&] {
            y.gather(1, etude::zeros({5, 1}, kLong));
          }) == newer("Error: Size does not match at dimension 0 expected index [5, 1] to be no larger than "
                      "self [4, 5] apart from dimension 1",
                      "Error: Size does not match at dimension 0 expected index [5, 1] to be smaller than "
                      "self [4, 5] apart from dimension 1"));
    CHECK(refusal([&] { y.gather(2, etude::tensor({{0}})); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  }
}

TEST_SUITE("one_hot") {
  TEST_CASE("has a one at each class and as many classes as the largest asks for, unless told") {
    CHECK(same(one_hot(etude::tensor({0, 2})), etude::tensor({{1, 0, 0}, {0, 0, 1}})));
    CHECK(same(one_hot(etude::tensor({1, 0}), 3), etude::tensor({{0, 1, 0}, {1, 0, 0}})));
    CHECK(same(one_hot(etude::tensor(1), 2), etude::tensor({0, 1})));
    CHECK(same(one_hot(etude::tensor({{0, 1}, {1, 0}}).t(), 2),
               etude::tensor({{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}})));
    CHECK(same(one_hot(etude::empty({2, 0}, kLong), 3), etude::zeros({2, 0, 3}, kLong)));
  }

  TEST_CASE("refuses classes that do not exist") {
    CHECK(refusal([] {
            one_hot(etude::tensor({0, 3}), 3);
          }) == "Error: Class values must be smaller than num_classes.");
    CHECK(refusal([] { one_hot(etude::tensor({1}), 0); }) ==
          "Error: Class values must be smaller than num_classes.");
    CHECK(refusal([] { one_hot(etude::tensor({-1})); }) == "Error: Class values must be non-negative.");
    CHECK(refusal([] { one_hot(etude::tensor({1}, kInt)); }) ==
          newer("Error: one_hot is only applicable to index tensor of type LongTensor.",
                "Error: one_hot is only applicable to index tensor."));
    CHECK(refusal([] { one_hot(etude::empty({0}, kLong)); }) ==
          "Error: Can not infer total number of classes from empty tensor.");
  }

  TEST_CASE("one_hot refuses more classes than there can be") {
    const int64_t most = std::numeric_limits<int64_t>::max();
    CHECK(refusal([&] { one_hot(etude::tensor({1}), most); }) ==
          "Error: Storage size calculation overflowed with sizes=[1, 9223372036854775807]");
    CHECK(refusal([&] { one_hot(etude::full({1}, most, kLong)); }) != "");
  }

  TEST_CASE("an index without elements may have any type") {
    CHECK(gather(etude::ones({2, 4}), 0, etude::zeros({0, 4}, kDouble)).sizes() == IntArrayRef({0, 4}));
  }
}
