#include "etude/key_value_cache.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using nn::KeyValueCache;

TEST_SUITE("KeyValueCache") {
  TEST_CASE("gives back all that was appended, in order, for each layer") {
    NoGradGuard no_grad;
    KeyValueCache cache(/*layers=*/2, /*batch=*/3, /*heads=*/2, /*capacity=*/4, /*head_width=*/5);
    CHECK((cache.length() == 0 && cache.capacity() == 4));
    const Tensor k = golden::ramp({3, 2, 4, 5}), v = k * 2;
    for (size_t layer : {size_t{0}, size_t{1}}) {
      cache.layer(layer, 2).append(k.narrow(2, 0, 3), v.narrow(2, 0, 3));
      const auto [keys, values] = cache.layer(layer, 2).append(k.narrow(2, 3, 1), v.narrow(2, 3, 1));
      CHECK(same(keys, k));
      CHECK(same(values, v));
    }
    CHECK(cache.length() == 4);
    cache.clear();
    CHECK(cache.length() == 0);
    CHECK(same(cache.layer(0, 2).append(v, k).first, v));
  }

  TEST_CASE("a copy has memory of its own") {
    const NoGradGuard no_grad;
    KeyValueCache cache(1, 1, 1, 4, 2);
    const Tensor k = golden::ramp({1, 1, 1, 2});
    cache.layer(0, 1).append(k, k);
    KeyValueCache one = cache, other = cache;
    one.layer(0, 1).append(k * 2, k);
    other.layer(0, 1).append(k * 3, k);
    CHECK(same(one.layer(0, 1).all().first, cat({k, k * 2}, 2)));
    CHECK(same(other.layer(0, 1).all().first, cat({k, k * 3}, 2)));
    CHECK(cache.length() == 1);
  }

  TEST_CASE("reorder hands sequences the past of others") {
    NoGradGuard no_grad;
    KeyValueCache cache(1, 3, 2, 4, 5);
    const Tensor k = golden::ramp({3, 2, 2, 5}), rows = etude::tensor({2, 0, 2}, kLong);
    cache.reorder(rows);
    cache.layer(0, 1).append(k, k * 3);
    cache.reorder(rows);
    const auto [keys, values] = cache.layer(0, 1).append(k.narrow(2, 0, 0), k.narrow(2, 0, 0));
    CHECK(same(keys, k.index_select(0, rows)));
    CHECK(same(values, k.index_select(0, rows) * 3));
  }

  TEST_CASE("refuses more than it has room for, and a graph") {
    KeyValueCache cache(1, 1, 1, 2, 3);
    const Tensor k = zeros({1, 1, 3, 3});
    CHECK(refusal([&] { cache.layer(0, 1).append(k, k); }) == "Error: a key-value cache holds no graph");
    NoGradGuard no_grad;
    CHECK(refusal([&] { cache.layer(0, 1).append(k, k); }) ==
          "Error: the key-value cache has room for 2 tokens, but 3 are needed");
    CHECK(refusal([&] { cache.layer(0, 2); }) ==
          "Error: the key-value cache has 1 layers, but the model has 2");
    KeyValueCache three(1, 3, 2, 4, 5);
    CHECK(refusal([&] {
            three.layer(0, 1).append(zeros({1, 2, 1, 5}), zeros({1, 2, 1, 5}));
          }) ==
          "Error: the key-value cache takes keys of sizes [3, 2, tokens, 5] in torch.float32, but got [1, 2, "
          "1, "
          "5] in torch.float32");
    const Tensor fits = zeros({3, 2, 1, 5});
    CHECK(
        refusal([&] { three.layer(0, 1).append(fits, fits.to(kDouble)); }) ==
        "Error: the key-value cache takes values of sizes [3, 2, tokens, 5] in torch.float32, but got [3, 2, "
        "1, 5] in torch.float64");
    CHECK(refusal([&] {
            three.layer(0, 1).append(fits, zeros({3, 2, 2, 5}));
          }) == "Error: as many values as keys are expected, but got 2 and 1");
    CHECK(three.length() == 0);
    CHECK(refusal([&] { three.reorder(etude::tensor({2}, kLong)); }) ==
          "Error: the key-value cache holds 3 sequences, but the order has sizes [1]");
  }
}
