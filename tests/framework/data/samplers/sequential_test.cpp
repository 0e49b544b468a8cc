#include "etude/data/samplers/sequential.h"

#include <doctest/doctest.h>

#include <vector>

using etude::data::samplers::SequentialSampler;
using Indices = std::vector<size_t>;

TEST_SUITE("sequential") {
  TEST_CASE("a sequential sampler gives the indices in their order, and less at the end") {
    SequentialSampler sampler(5);
    CHECK(sampler.index() == 0);
    CHECK(sampler.next(2).value() == Indices{0, 1});
    CHECK(sampler.next(2).value() == Indices{2, 3});
    CHECK(sampler.index() == 4);
    CHECK(sampler.next(2).value() == Indices{4});
    CHECK_FALSE(sampler.next(2).has_value());
    CHECK_FALSE(sampler.next(2).has_value());
    CHECK_FALSE(SequentialSampler(0).next(1).has_value());
  }

  TEST_CASE("a reset begins anew, with another size if it is given one") {
    SequentialSampler sampler(3);
    sampler.next(2);
    sampler.reset();
    CHECK(sampler.next(5).value() == Indices{0, 1, 2});
    sampler.reset(2);
    CHECK(sampler.next(5).value() == Indices{0, 1});
    CHECK_FALSE(sampler.next(1).has_value());
    sampler.reset();
    CHECK(sampler.next(5).value().size() == 2);
  }
}
