#include "etude/data/samplers/sequential.h"

#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include "etude/data/samplers.h"
#include "etude/io/serialize.h"
#include "support/resumed.h"

using etude::data::samplers::SequentialSampler;
using Drawn = std::vector<size_t>;

TEST_SUITE("sequential") {
  TEST_CASE("a sequential sampler gives the indices in their order, and less at the end") {
    SequentialSampler sampler(5);
    CHECK(sampler.index() == 0);
    CHECK(sampler.next(2).value() == Drawn{0, 1});
    CHECK(sampler.next(2).value() == Drawn{2, 3});
    CHECK(sampler.index() == 4);
    CHECK(sampler.next(2).value() == Drawn{4});
    CHECK_FALSE(sampler.next(2).has_value());
    CHECK_FALSE(sampler.next(2).has_value());
    CHECK_FALSE(SequentialSampler(0).next(1).has_value());
  }

  TEST_CASE("a reset begins anew, with another size if it is given one") {
    SequentialSampler sampler(3);
    sampler.next(2);
    sampler.reset();
    CHECK(sampler.next(5).value() == Drawn{0, 1, 2});
    sampler.reset(2);
    CHECK(sampler.next(5).value() == Drawn{0, 1});
    CHECK_FALSE(sampler.next(1).has_value());
    sampler.reset();
    CHECK(sampler.next(5).value().size() == 2);
  }

  TEST_CASE("a saved sequential sampler goes on with the index after") {
    SequentialSampler sampler(7);
    sampler.next(3);
    SequentialSampler resumed(7);
    etude::reload(sampler, resumed);
    CHECK(resumed.index() == 3);
    CHECK(resumed.next(9).value() == Drawn{3, 4, 5, 6});
    CHECK(etude::saved_number(sampler, "index") == 3);
    sampler.next(9);
    etude::reload(sampler, resumed);
    CHECK_FALSE(resumed.next(1).has_value());
    resumed.reset();
    CHECK(resumed.next(2).value() == Drawn{0, 1});
  }
}
