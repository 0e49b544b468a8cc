#include "etude/distributed/detail/partial_sums.h"

#include <doctest/doctest.h>

#include "etude/distributed/detail/tree_sum.h"
#include "etude/ops/ops.h"
#include "support/thread_group.h"

using namespace etude;
using distributed::detail::PartialSums;

TEST_SUITE("partial sums") {
  namespace {

  // Numbers of very different magnitudes, so that each order of summation gives other bits.
  std::vector<Tensor> uneven_parts(int64_t count) {
    std::vector<Tensor> parts;
    for (int64_t i = 0; i < count; ++i)
      parts.push_back((etude::arange(1, 60) * static_cast<double>(i + 1)).sin() * std::pow(7.0, i % 5));
    return parts;
  }

  Tensor summed(const std::vector<Tensor>& parts) {
    PartialSums sums;
    for (size_t i = 0; i + 1 < parts.size(); ++i) sums.add(parts[i].defined() ? parts[i].clone() : Tensor());
    return sums.total(parts.back());
  }

  }  // namespace

  TEST_CASE("the sum is that of a binary tree, and not that of one part after the other") {
    int differ = 0;
    for (int64_t count = 1; count <= 20; ++count) {
      const std::vector<Tensor> parts = uneven_parts(count);
      CHECK(summed(parts).equal(tree_of(parts)));
      Tensor in_turn = parts[0];
      for (size_t i = 1; i < parts.size(); ++i) in_turn = in_turn + parts[i];
      differ += !summed(parts).equal(in_turn);
    }
    CHECK(differ > 10);
  }

  TEST_CASE("processes are added up in the same order") {
    for (int64_t count = 1; count <= 20; ++count) {
      std::vector<Tensor> parts = uneven_parts(count);
      const Tensor sum = summed(parts);
      distributed::detail::tree_sum(
          count, [](int64_t) {},
          [&](int64_t a, int64_t b) {
            parts[static_cast<size_t>(a)] = parts[static_cast<size_t>(a)] + parts[static_cast<size_t>(b)];
          });
      CHECK(sum.equal(parts[0]));
    }
  }

  TEST_CASE("parts that are not there leave the others where they are in the tree") {
    std::vector<Tensor> parts = uneven_parts(8);
    const std::vector<Tensor> all = parts;
    for (const size_t i : {1u, 2u, 7u}) parts[i] = Tensor();
    CHECK(summed(parts).equal((all[0] + all[3]) + ((all[4] + all[5]) + all[6])));
    CHECK_FALSE(summed(std::vector<Tensor>(5)).defined());
  }

  TEST_CASE("a total leaves nothing, and what is cleared is gone") {
    PartialSums sums;
    sums.add(etude::ones({2}));
    CHECK(sums.total(etude::ones({2})).equal(etude::full({2}, 2.0)));
    CHECK_FALSE(sums.total({}).defined());
    sums.add(etude::ones({2}));
    sums.clear();
    CHECK_FALSE(sums.total({}).defined());
  }
}
