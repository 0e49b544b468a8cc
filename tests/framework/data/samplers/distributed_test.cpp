#include "etude/data/samplers/distributed.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "etude/data/samplers.h"
#include "etude/io/serialize.h"
#include "support/resumed.h"

using etude::data::samplers::DistributedRandomSampler;
using etude::data::samplers::DistributedSequentialSampler;
using Drawn = std::vector<size_t>;

TEST_SUITE("distributed") {
  namespace {

  template <typename Sampler>
  Drawn rest_of(Sampler& sampler, size_t batch_size) {
    Drawn all;
    while (auto batch = sampler.next(batch_size)) {
      CHECK(batch->size() <= batch_size);
      all.insert(all.end(), batch->begin(), batch->end());
    }
    return all;
  }

  /// The order of an epoch: the standard's twister, seeded with it, and the library's shuffle.
  Drawn order_of(size_t epoch, size_t size, size_t padded) {
    Drawn order(padded);
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = size; i < padded; ++i) order[i] = i - size;
    std::mt19937 random(static_cast<uint32_t>(epoch));
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  }  // namespace

  TEST_CASE("parts of the same size together are all indices, some of them twice") {
    for (const size_t replicas : {1, 2, 3, 4}) {
      const size_t count = (10 + replicas - 1) / replicas;
      const Drawn order = order_of(0, 10, count * replicas);
      for (size_t rank = 0; rank < replicas; ++rank) {
        DistributedRandomSampler random(10, replicas, rank);
        const Drawn expected(order.begin() + static_cast<std::ptrdiff_t>(rank * count),
                             order.begin() + static_cast<std::ptrdiff_t>((rank + 1) * count));
        CHECK(rest_of(random, 3) == expected);
        DistributedSequentialSampler sequential(10, replicas, rank);
        Drawn in_order(count);
        for (size_t i = 0; i < count; ++i) in_order[i] = (rank * count + i) % 10;
        CHECK(rest_of(sequential, 3) == in_order);
      }
    }
  }

  TEST_CASE("without duplicates some indices are left out") {
    const Drawn order = order_of(0, 10, 9);
    for (size_t rank = 0; rank < 3; ++rank) {
      DistributedRandomSampler random(10, 3, rank, /*allow_duplicates=*/false);
      const auto begin = order.begin() + static_cast<std::ptrdiff_t>(3 * rank);
      CHECK(rest_of(random, 2) == Drawn(begin, begin + 3));
      DistributedSequentialSampler sequential(10, 3, rank, /*allow_duplicates=*/false);
      CHECK(rest_of(sequential, 2) == Drawn{3 * rank, 3 * rank + 1, 3 * rank + 2});
    }
  }

  TEST_CASE("an epoch has its own order, from the next reset on") {
    DistributedRandomSampler sampler(20, 2, 1);
    CHECK(sampler.epoch() == 0);
    sampler.set_epoch(4);
    CHECK(sampler.epoch() == 4);
    CHECK(sampler.index() == 10);
    sampler.reset();
    const Drawn order = order_of(4, 20, 20);
    CHECK(sampler.next(4).value() == Drawn(order.begin() + 10, order.begin() + 14));
    CHECK(sampler.index() == 14);
    sampler.reset(6);
    const Drawn small = order_of(4, 6, 6);
    CHECK(rest_of(sampler, 9) == Drawn(small.begin() + 3, small.end()));

    DistributedSequentialSampler sequential(6, 2, 1);
    sequential.reset(8);
    CHECK(sequential.index() == 4);
    CHECK(rest_of(sequential, 3) == Drawn{4, 5, 6, 7});
    CHECK(sequential.index() == 8);
  }

  TEST_CASE("saved distributed samplers go on in their parts") {
    for (const size_t rank : {0, 1, 2}) {
      DistributedRandomSampler random(20, 3, rank), resumed_random(20, 3, rank);
      random.set_epoch(6);
      random.reset();
      random.next(2);
      etude::reload(random, resumed_random);
      CHECK(etude::saved_number(random, "sample_index_") == static_cast<int64_t>(7 * rank + 2));
      CHECK(etude::saved_number(random, "epoch_") == 6);
      CHECK(resumed_random.epoch() == 6);
      CHECK(resumed_random.index() == random.index());
      CHECK(rest_of(resumed_random, 2) == rest_of(random, 2));

      DistributedSequentialSampler sequential(20, 3, rank), resumed(20, 3, rank);
      sequential.next(5);
      etude::reload(sequential, resumed);
      CHECK(etude::saved_number(sequential, "sample_index_") == static_cast<int64_t>(7 * rank + 5));
      CHECK(rest_of(resumed, 4) == rest_of(sequential, 4));
      resumed.reset();
      CHECK(resumed.index() == 7 * rank);
    }
  }
}
