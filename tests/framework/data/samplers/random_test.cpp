#include "etude/data/samplers/random.h"

#include <doctest/doctest.h>

#include <vector>

#include "etude/ops/ops.h"

using etude::data::samplers::RandomSampler;
using Indices = std::vector<size_t>;

namespace {

Indices permutation(int64_t size, etude::ScalarType dtype = etude::kLong) {
  const etude::Tensor order = etude::randperm(size, dtype).to(etude::kLong);
  Indices indices;
  for (int64_t i = 0; i < size; ++i) indices.push_back(static_cast<size_t>(order[i].item<int64_t>()));
  return indices;
}

}  // namespace

TEST_SUITE("random") {
  TEST_CASE("a random sampler takes randperm from the default generator when it is made and at each reset") {
    etude::manual_seed(3);
    const Indices first = permutation(50), second = permutation(50), third = permutation(20);
    etude::manual_seed(3);
    RandomSampler sampler(50);
    CHECK(sampler.next(50).value() == first);
    sampler.reset();
    CHECK(sampler.next(50).value() == second);
    sampler.reset(20);
    CHECK(sampler.next(50).value() == third);
    CHECK_FALSE(sampler.next(1).has_value());
  }

  TEST_CASE("batches follow each other, and the last one may be smaller") {
    etude::manual_seed(4);
    const Indices all = permutation(7, etude::kInt);
    etude::manual_seed(4);
    RandomSampler sampler(7, etude::kInt);
    CHECK(sampler.index() == 0);
    CHECK(sampler.next(3).value() == Indices(all.begin(), all.begin() + 3));
    CHECK(sampler.index() == 3);
    CHECK(sampler.next(3).value() == Indices(all.begin() + 3, all.begin() + 6));
    CHECK(sampler.next(3).value() == Indices(all.begin() + 6, all.end()));
    CHECK_FALSE(sampler.next(3).has_value());
    CHECK(sampler.index() == 7);
    CHECK_FALSE(RandomSampler(0).next(1).has_value());
  }
}
