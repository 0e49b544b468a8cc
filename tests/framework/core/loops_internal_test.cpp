// Walking several operands together, row by row.
#include "etude/core/detail/loops.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "etude/core/parallel.h"
#include "support/thread_count.h"

using namespace etude;
using detail::for_each_row;
using detail::make_walk;

TEST_SUITE("loops") {
  namespace {

  // The offsets of every element of both operands, by a loop for each dim.
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;

  Pairs expected(const Shape& sizes, const Shape& a, const Shape& b) {
    Pairs pairs = {{0, 0}};
    for (int64_t d = 0; d < sizes.size(); ++d) {
      Pairs longer;
      for (const auto& [u, v] : pairs)
        for (int64_t i = 0; i < sizes[d]; ++i) longer.emplace_back(u + i * a[d], v + i * b[d]);
      pairs = std::move(longer);
    }
    return pairs;
  }

  // The pairs that for_each_row visits, sorted by a's offsets, which are all different.
  Pairs visited(const Shape& sizes, const Shape& a, const Shape& b, int64_t grain) {
    Pairs pairs;
    std::mutex mutex;
    const auto w = make_walk<2>(sizes, {a, b});
    for_each_row<2>(w, grain, [&](const auto& at, int64_t n) {
      const std::lock_guard lock(mutex);
      for (int64_t i = 0; i < n; ++i) pairs.emplace_back(at[0] + i * w.stride(0), at[1] + i * w.stride(1));
    });
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  }  // namespace

  TEST_CASE("every element is visited once, for any strides, grain and number of threads") {
    const std::vector<std::tuple<Shape, Shape, Shape>> cases = {
        {{}, {}, {}},
        {{5}, {1}, {0}},
        {{3, 4}, {4, 1}, {1, 3}},
        {{3, 4}, {4, 1}, {0, 1}},
        {{2, 3, 4}, {12, 4, 1}, {12, 4, 1}},
        {{2, 3, 4}, {12, 4, 1}, {1, 0, 2}},
        {{2, 1, 3, 5}, {15, 7, 5, 1}, {-15, 0, 5, 1}},
        {{0, 3}, {3, 1}, {3, 1}},
        {{3, 0}, {1, 1}, {1, 1}},
    };
    const ThreadCount restored;
    for (const auto& [sizes, a, b] : cases) {
      Pairs all = expected(sizes, a, b);
      std::sort(all.begin(), all.end());
      for (const int threads : {1, 2, 3}) {
        set_num_threads(threads);
        for (const int64_t grain : {1, 4, 1000}) CHECK(visited(sizes, a, b, grain) == all);
      }
    }
  }

  TEST_CASE("dims that lie together are one row") {
    int rows = 0;
    const auto count = [&](const auto&, int64_t) { ++rows; };
    for_each_row<2>(make_walk<2>({2, 3, 4}, {Shape{12, 4, 1}, Shape{12, 4, 1}}), 1000, count);
    CHECK(rows == 1);
    for_each_row<2>(make_walk<2>({2, 3, 4}, {Shape{12, 4, 1}, Shape{0, 4, 1}}), 1000, count);
    CHECK(rows == 3);
  }

  TEST_CASE("what a row throws reaches the caller") {
    const auto w = make_walk<1>({6, 2}, {Shape{4, 1}});
    for (const int64_t grain : {1, 1000})
      CHECK_THROWS_WITH(for_each_row<1>(w, grain,
                                        [](const auto& at, int64_t) {
                                          if (at[0] == 8) throw std::runtime_error("the third row");
                                        }),
                        "the third row");
  }
}
