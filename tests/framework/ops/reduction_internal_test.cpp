// Shared by reductions: the reduced dims, the walk over memory, and how partial results are joined.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "etude/ops/detail/reduction.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using detail::impl;
using detail::make_reduction_walk;
using detail::reduced_dims;

TEST_SUITE("reduction, inside") {
  namespace {

  // Records the order in which partial results are joined.
  struct Written {
    using Acc = std::string;
    std::string join(const std::string& a, const std::string& b) const { return "(" + a + b + ")"; }
  };

  }  // namespace

  TEST_CASE("the dims named are taken, in their order and counted from either end, or all if none is") {
    const Tensor x = etude::zeros({2, 3, 4});
    const auto some = reduced_dims(x, std::vector<int64_t>{-1, 0});
    CHECK((some.list() == Shape{0, 2}));
    CHECK(some.count == 8);
    CHECK((some.result_sizes(false) == Shape{3}));
    CHECK((some.result_sizes(true) == Shape{1, 3, 1}));
    const auto all = reduced_dims(x, {});
    CHECK((all.list() == Shape{0, 1, 2}));
    CHECK(all.count == 24);
    CHECK(all.result_sizes(false).size() == 0);
    CHECK(reduced_dims(etude::zeros({2, 0}), 1).count == 0);
    CHECK(reduced_dims(etude::zeros({}), 0).count == 1);
  }

  TEST_CASE("a dim out of range or named twice is refused") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] { reduced_dims(x, 2); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK(refusal([&] {
            reduced_dims(x, std::vector<int64_t>{1, -1});
          }) == "Error: dim 1 appears multiple times in the list of dims");
  }

  TEST_CASE("a result is seen with its reduced dims again, whether it kept them or not") {
    const auto dims = reduced_dims(etude::zeros({2, 3, 4}), std::vector<int64_t>{0, 2});
    CHECK(dims.restored(etude::zeros({3}), false).sizes() == IntArrayRef({1, 3, 1}));
    CHECK(dims.restored(etude::zeros({1, 3, 1}), true).sizes() == IntArrayRef({1, 3, 1}));
  }

  TEST_CASE(
      "memory is walked by rows where a row lies together, by columns where neighbours are other results") {
    const Tensor x = etude::zeros({100, 200});
    CHECK_FALSE(make_reduction_walk(impl(x), reduced_dims(x, 1)).by_columns);
    CHECK(make_reduction_walk(impl(x), reduced_dims(x, 0)).by_columns);
    const Tensor turned = x.t();
    CHECK(make_reduction_walk(impl(turned), reduced_dims(turned, 1)).by_columns);
    CHECK_FALSE(make_reduction_walk(impl(turned), reduced_dims(turned, 0)).by_columns);
    const auto w = make_reduction_walk(impl(x), reduced_dims(x, {}));
    CHECK(w.kept.count == 1);
    CHECK(w.reduced.count == 20000);
    CHECK(w.reduced.dims == 1);
  }

  TEST_CASE("a step of a walk has a place for each operand") {
    const Tensor x = etude::zeros({2, 3, 8}).slice(2, 0, 8, 2);
    const auto w = make_reduction_walk(impl(x), reduced_dims(x, 1));
    REQUIRE(w.kept.count == 8);
    for (int64_t i = 0; i < 8; ++i) {
      CHECK(detail::offset_of(w.kept, 0, i) == i / 4 * 24 + i % 4 * 2);
      CHECK(detail::offset_of(w.kept, 1, i) == i);
    }
  }

  TEST_CASE(
      "blocks are joined by halves, so that the error of a sum grows with the logarithm of its length") {
    const std::string letters[] = {"a", "-", "b", "-", "c", "-", "d", "-", "e"};
    CHECK(detail::join_by_halves(Written{}, letters, 5, 2) == "((ab)(c(de)))");
    CHECK(detail::join_by_halves(Written{}, letters, 1, 2) == "a");
  }
}
