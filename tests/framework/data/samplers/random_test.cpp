#include "etude/data/samplers/random.h"

#include <doctest/doctest.h>

#include <vector>

#include "etude/data/samplers.h"
#include "etude/io/serialize.h"
#include "etude/ops/ops.h"
#include "support/resumed.h"

using etude::data::samplers::RandomSampler;
using Drawn = std::vector<size_t>;

TEST_SUITE("random") {
  namespace {

  Drawn permutation(int64_t size, etude::ScalarType dtype = etude::kLong) {
    const etude::Tensor order = etude::randperm(size, dtype).to(etude::kLong);
    Drawn indices;
    for (int64_t i = 0; i < size; ++i) indices.push_back(static_cast<size_t>(order[i].item<int64_t>()));
    return indices;
  }

  }  // namespace

  TEST_CASE("a random sampler takes randperm from the default generator when it is made and at each reset") {
    etude::manual_seed(3);
    const Drawn first = permutation(50), second = permutation(50), third = permutation(20);
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
    const Drawn all = permutation(7, etude::kInt);
    etude::manual_seed(4);
    RandomSampler sampler(7, etude::kInt);
    CHECK(sampler.index() == 0);
    CHECK(sampler.next(3).value() == Drawn(all.begin(), all.begin() + 3));
    CHECK(sampler.index() == 3);
    CHECK(sampler.next(3).value() == Drawn(all.begin() + 3, all.begin() + 6));
    CHECK(sampler.next(3).value() == Drawn(all.begin() + 6, all.end()));
    CHECK_FALSE(sampler.next(3).has_value());
    CHECK(sampler.index() == 7);
    CHECK_FALSE(RandomSampler(0).next(1).has_value());
  }

  TEST_CASE("a saved random sampler goes on in the order of its epoch") {
    for (const auto dtype : {etude::kLong, etude::kInt}) {
      etude::manual_seed(5);
      const Drawn all = permutation(11, dtype);
      etude::manual_seed(5);
      RandomSampler sampler(11, dtype);
      sampler.next(4);
      etude::manual_seed(6);
      RandomSampler resumed(11, dtype);
      etude::reload(sampler, resumed);
      CHECK(etude::saved_number(sampler, "index") == 4);
      CHECK(resumed.index() == 4);
      Drawn rest;
      while (auto batch = resumed.next(3)) rest.insert(rest.end(), batch->begin(), batch->end());
      CHECK(rest == Drawn(all.begin() + 4, all.end()));
    }
  }

  TEST_CASE("a random sampler takes over the size of what it loads") {
    etude::manual_seed(7);
    const Drawn all = permutation(6);
    etude::manual_seed(7);
    RandomSampler sampler(6), other(2);
    etude::reload(sampler, other);
    CHECK(other.next(9).value() == all);
    other.reset();
    CHECK(other.next(9).value().size() == 6);
  }

  TEST_CASE("with the state of the generator the epochs after are the same too") {
    etude::manual_seed(8);
    RandomSampler sampler(9);
    sampler.next(2);
    auto generator = etude::detail::getDefaultCPUGenerator();
    const etude::Tensor state = generator.get_state();
    RandomSampler resumed(9);
    etude::reload(sampler, resumed);
    generator.set_state(state);
    sampler.reset();
    const Drawn expected = sampler.next(9).value();
    generator.set_state(state);
    resumed.reset();
    CHECK(resumed.next(9).value() == expected);
  }
}
