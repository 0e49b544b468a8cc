// New tensors.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("creation") {
  TEST_CASE("fills have the type that was asked for, or that of the value") {
    CHECK(etude::zeros({2}).dtype() == kFloat);
    CHECK(etude::full({2}, 3).dtype() == kLong);
    CHECK(etude::full({2}, true).dtype() == kBool);
    CHECK(etude::full({2}, 1.5).dtype() == kFloat);
    CHECK(etude::ones_like(etude::arange(3)).dtype() == kLong);
    CHECK(etude::zeros({2, 0, 3}).numel() == 0);
    CHECK(etude::ones({}).item<float>() == 1);
    CHECK(etude::ones({2}, dtype(kDouble).requires_grad(true)).requires_grad());
    CHECK(etude::zeros({1, 1, 1, 1, 1, 1, 1, 1}).dim() == 8);
  }

  TEST_CASE("ranges that several threads write have every number once") {
    const int64_t n = 100001;
    const Tensor whole = etude::arange(3, 3 + 2 * n, 2, etude::kLong),
                 even = etude::linspace(-1, 1, n, etude::kDouble);
    for (int64_t i = 0; i < n; i += 7) {
      CAPTURE(i);
      REQUIRE(whole.data_ptr<int64_t>()[i] == 3 + 2 * i);
      REQUIRE(even.data_ptr<double>()[i] ==
              doctest::Approx(-1 + 2 * static_cast<double>(i) / 100000).epsilon(1e-14));
    }
    CHECK(even.data_ptr<double>()[n - 1] == 1);
  }
  TEST_CASE("ranges stop before their end, and both ends of a linspace are exact") {
    CHECK(same(etude::arange(5), etude::tensor({0, 1, 2, 3, 4})));
    CHECK(same(etude::arange(2, 10, 3), etude::tensor({2, 5, 8})));
    CHECK(same(etude::arange(5, 0, -2), etude::tensor({5, 3, 1})));
    CHECK(etude::arange(0, 1, 0.25).dtype() == kFloat);
    CHECK(etude::arange(0, 1, 0.25).size(0) == 4);
    CHECK(etude::linspace(-1, 2, 7)[6].item<float>() == 2);
    CHECK(etude::linspace(3, 9, 1)[0].item<float>() == 3);
    CHECK(same(etude::eye(2, 3), etude::tensor({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}})));
  }

  TEST_CASE("from_blob sees memory that others own, with strides") {
    float data[] = {1, 2, 3, 4, 5, 6};
    const Tensor t = etude::from_blob(data, {2, 3});
    data[4] = 9;
    CHECK(t[1][1].item<float>() == 9);
    CHECK(same(etude::from_blob(data, {3, 2}, {1, 3}), t.t()));
  }

  TEST_CASE("from_blob calls the deleter with the memory when the last tensor over it is gone") {
    float data[] = {1, 2, 3, 4, 5, 6};
    std::vector<void*> deleted;
    const auto deleter = [&](void* p) { deleted.push_back(p); };
    {
      Tensor t = etude::from_blob(data, {2, 3}, deleter, kFloat), view = t[1];
      const Tensor copy = t.clone();
      t = Tensor();
      CHECK(deleted.empty());
      CHECK(same(view, etude::tensor({4., 5., 6.})));
    }
    CHECK(deleted == std::vector<void*>{data});
    CHECK(
        same(etude::from_blob(data, {3, 2}, {1, 3}, deleter), etude::tensor({{1., 4.}, {2., 5.}, {3., 6.}})));
    CHECK(deleted.size() == 2);
  }

  TEST_CASE("from_blob calls the deleter with a null pointer, too") {
    int calls = 0;
    etude::from_blob(nullptr, {0}, [&](void* p) { calls += p == nullptr; });
    CHECK(calls == 1);
  }

  TEST_CASE("impossible sizes, steps and types are refused in PyTorch's words") {
    CHECK(refusal([] {
            etude::zeros({2, -1});
          }) == newer("Error: zeros: Dimension size must be non-negative.",
                      "Error: Trying to create tensor with negative dimension -1: [2, -1]"));
    CHECK(refusal([] { etude::arange(0, 5, 0); }) == "Error: step must be nonzero");
    CHECK(refusal([] { etude::linspace(0, 1, -1); }) == "Error: number of steps must be non-negative");
    CHECK(refusal([] { etude::eye(-1); }) == "Error: n must be greater or equal to 0, got -1");
    CHECK_THROWS_AS(etude::zeros({int64_t{1} << 40, int64_t{1} << 40}), Error);
  }

  TEST_CASE("an integer range has whole steps") {
    CHECK(equal(etude::arange(0.5, 3.7, 1.5, kLong), etude::tensor({0, 1, 2})));
    CHECK(equal(etude::arange(0.5, 3.7, kInt), etude::tensor({0, 1, 2, 3}, kInt)));
    CHECK(equal(etude::arange(-1.5, 2.7, 1.2, kByte), etude::tensor({255, 0, 1, 2}, kByte)));
    CHECK(refusal([] { etude::arange(0, 1e300); }) == "Error: invalid size, possible overflow?");
    CHECK(refusal([] { etude::arange(0, 3, kBool); }) == "Error: \"arange_cpu\" not implemented for 'Bool'");
  }
}
