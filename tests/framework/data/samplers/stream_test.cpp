#include "etude/data/samplers/stream.h"

#include <doctest/doctest.h>

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
}
