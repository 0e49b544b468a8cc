#include "etude/data/samplers/stream.h"

#include <doctest/doctest.h>

#include "etude/data/samplers.h"
#include "etude/io/serialize.h"
#include "support/resumed.h"

using etude::data::samplers::BatchSize;
using etude::data::samplers::StreamSampler;

TEST_SUITE("stream") {
  TEST_CASE("a stream sampler gives sizes that together are the epoch") {
    StreamSampler sampler(10);
    CHECK(sampler.next(4).value() == 4);
    CHECK(sampler.next(4).value().size() == 4);
    CHECK(sampler.next(4).value() == 2);
    CHECK_FALSE(sampler.next(4).has_value());
    sampler.reset();
    CHECK(sampler.next(20).value() == 10);
    sampler.reset(3);
    CHECK(sampler.next(20).value() == 3);
    CHECK_FALSE(sampler.next(1).has_value());
  }

  TEST_CASE("a batch size is a request and a number") {
    const BatchSize size(7);
    CHECK(size.size() == 7);
    CHECK(size + 1 == 8);
    const etude::data::samplers::CustomBatchRequest& request = size;
    CHECK(request.size() == 7);
  }

  TEST_CASE("a saved stream sampler gives what is left of the epoch") {
    StreamSampler sampler(10);
    sampler.next(4);
    StreamSampler resumed(10);
    etude::reload(sampler, resumed);
    CHECK(etude::saved_number(sampler, "examples_retrieved_so_far") == 4);
    CHECK(resumed.next(4).value() == 4);
    CHECK(resumed.next(4).value() == 2);
    CHECK_FALSE(resumed.next(4).has_value());
    resumed.reset();
    CHECK(resumed.next(20).value() == 10);
  }
}
