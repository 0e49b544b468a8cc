#include <doctest/doctest.h>

#include <cmath>

#include "etude/core/parallel.h"
#include "etude/ops/ops.h"
#include "support/gradcheck.h"
#include "support/refusal.h"
#include "support/thread_count.h"

using namespace etude;

TEST_SUITE("sort") {
  namespace {

  bool both(const std::tuple<Tensor, Tensor>& found, const Tensor& values, const Tensor& indices) {
    return same(std::get<0>(found), values) && same(std::get<1>(found), indices);
  }

  }  // namespace

  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();

  TEST_CASE("puts elements in order along the dim, with the places that they came from") {
    const Tensor x = etude::tensor({{3., 1., 2.}, {0., 5., 4.}});
    CHECK(both(x.sort(), etude::tensor({{1., 2., 3.}, {0., 4., 5.}}), etude::tensor({{1, 2, 0}, {0, 2, 1}})));
    CHECK(both(x.sort(0, true), etude::tensor({{3., 5., 4.}, {0., 1., 2.}}),
               etude::tensor({{0, 1, 1}, {1, 0, 0}})));
    CHECK(both(x.t().sort(0), etude::tensor({{1., 0.}, {2., 4.}, {3., 5.}}),
               etude::tensor({{1, 0}, {2, 2}, {0, 1}})));
    CHECK(same(x.argsort(), etude::tensor({{1, 2, 0}, {0, 2, 1}})));
    CHECK(same(argsort(x, /*stable=*/true, -1, true), etude::tensor({{0, 2, 1}, {1, 2, 0}})));
    CHECK(both(etude::tensor({true, false, true}).sort(), etude::tensor({false, true, true}),
               etude::tensor({1, 0, 2})));
    CHECK(both(etude::tensor({3, 1}, kByte).sort(), etude::tensor({1, 3}, kByte), etude::tensor({1, 0})));
  }

  TEST_CASE("leaves equal elements in their order, and takes a nan for larger than infinity") {
    CHECK(same(etude::tensor({2., 1., 2., 1.}).argsort(0, true), etude::tensor({0, 2, 1, 3})));
    CHECK(same(std::get<1>(sort(etude::tensor({0., -0., 0.}), optional<bool>(false), 0)),
               etude::tensor({0, 1, 2})));
    CHECK(both(etude::tensor({3., nan, infinity, nan}).sort(), etude::tensor({3., infinity, nan, nan}),
               etude::tensor({0, 2, 1, 3})));
    CHECK(both(etude::tensor({3., nan, infinity, nan}).sort(0, true), etude::tensor({nan, nan, infinity, 3.}),
               etude::tensor({1, 3, 2, 0})));
  }

  TEST_CASE("a stable sort leaves equal elements of a long lane in their order") {
    const Tensor x = etude::arange(700) * 31 % 7;
    for (bool descending : {false, true}) {
      const Tensor places = argsort(x, /*stable=*/true, 0, descending), sorted = x.take(places);
      const Tensor step = sorted.slice(0, 1) - sorted.slice(0, 0, -1);
      CHECK((descending ? step.le(0) : step.ge(0)).all().item<bool>());
      const Tensor later = places.slice(0, 1).gt(places.slice(0, 0, -1));
      CHECK(logical_or(later, step.ne(0)).all().item<bool>());
      CHECK(same(std::get<1>(sort(x, optional<bool>(true), 0, descending)), places));
    }
  }

  TEST_CASE("takes 0-dim and empty tensors") {
    CHECK(both(etude::tensor(2.).sort(), etude::tensor(2.), etude::tensor(0)));
    CHECK(std::get<0>(etude::zeros({0, 3}).sort(0)).sizes() == IntArrayRef({0, 3}));
    CHECK(std::get<1>(etude::zeros({2, 0}).sort(1)).sizes() == IntArrayRef({2, 0}));
  }

  TEST_CASE("topk gives the k largest or smallest, in order") {
    const Tensor x = etude::tensor({{3., 1., 2.}, {0., 5., 4.}});
    CHECK(both(x.topk(2), etude::tensor({{3., 2.}, {5., 4.}}), etude::tensor({{0, 2}, {1, 2}})));
    CHECK(both(x.topk(1, 0, false), etude::tensor({{0., 1., 2.}}), etude::tensor({{1, 0, 0}})));
    CHECK(both(x.t().topk(3, 0), etude::tensor({{3., 5.}, {2., 4.}, {1., 0.}}),
               etude::tensor({{0, 1}, {2, 2}, {1, 0}})));
    CHECK(both(etude::tensor({3., nan, 1.}).topk(2), etude::tensor({nan, 3.}), etude::tensor({1, 0})));
    CHECK(
        both(etude::tensor({3., nan, 1.}).topk(2, 0, false), etude::tensor({1., 3.}), etude::tensor({2, 0})));
    CHECK(both(etude::tensor({3., nan, 1., 5., 2.}).topk(4, 0, true, /*sorted=*/false),
               etude::tensor({5., nan, 3., 2.}), etude::tensor({3, 1, 0, 4})));
    CHECK(both(etude::tensor({3, 5}).topk(1), etude::tensor({5}), etude::tensor({1})));
    CHECK(both(etude::tensor(2.).topk(1), etude::tensor(2.), etude::tensor(0)));
    CHECK(std::get<0>(x.topk(0)).sizes() == IntArrayRef({2, 0}));
    manual_seed(1);
    const Tensor many = etude::randn({3, 500});
    for (int64_t k : {3, 100, 500}) {
      CHECK(same(std::get<0>(many.topk(k)), std::get<0>(many.sort(-1, true)).narrow(1, 0, k)));
      const Tensor loose = std::get<0>(many.topk(k, -1, true, /*sorted=*/false));
      CHECK(same(std::get<0>(loose.sort(-1, true)), std::get<0>(many.topk(k))));
    }
  }

  TEST_CASE("gradients agree with finite differences, and theirs too") {
    const Tensor a = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble);
    const std::vector<TensorFunction> functions = {
        [](const auto& in) { return std::get<0>(in[0].sort(0, true)).pow(2); },
        [](const auto& in) { return std::get<0>(sort(in[0], optional<bool>(true), 1)).pow(2); },
        [](const auto& in) { return std::get<0>(in[0].topk(2)).pow(2); },
        [](const auto& in) { return std::get<0>(in[0].t().topk(1, 0, false)).pow(2); }};
    for (const TensorFunction& f : functions) {
      CHECK(gradcheck(f, {a}));
      CHECK(gradgradcheck(f, {a}));
    }
    const TensorFunction number = [](const auto& in) { return std::get<0>(in[0].sort()).pow(2); };
    CHECK(gradcheck(number, {etude::tensor(1.5, kDouble)}));
  }

  TEST_CASE("gives the same for any number of threads") {
    const Tensor x = (etude::arange(90000) * 7919 % 1000).view({300, 300});
    const ThreadCount restored;
    set_num_threads(1);
    const Tensor sorted = x.argsort(int64_t{0}), top = std::get<1>(x.topk(50, 1));
    set_num_threads(3);
    CHECK(same(x.argsort(int64_t{0}), sorted));
    CHECK(same(std::get<1>(x.topk(50, 1)), top));
  }

  TEST_CASE("refuses dims and a k that do not fit, and topk bools") {
    CHECK(refusal([] { etude::zeros({2}).sort(1); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    CHECK(refusal([] { etude::zeros({2, 3}).topk(4); }) == "Error: selected index k out of range");
    CHECK(refusal([] { etude::zeros({2, 3}).topk(-1); }) == "Error: selected index k out of range");
    CHECK(refusal([] { etude::tensor(1.).topk(2); }) == "Error: selected index k out of range");
    CHECK(refusal([] {
            etude::tensor({true, false}).topk(1);
          }) == newer("Error: topk does not support bool dtypes on CPU",
                      "Error: \"topk_cpu\" not implemented for 'Bool'"));
  }
}
