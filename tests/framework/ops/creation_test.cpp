// New tensors, copies and fills.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("creation") {
  TEST_CASE("fills have the type that was asked for, or that of the value") {
    CHECK(zeros({2}).dtype() == kFloat);
    CHECK(full({2}, 3).dtype() == kLong);
    CHECK(full({2}, true).dtype() == kBool);
    CHECK(full({2}, 1.5).dtype() == kFloat);
    CHECK(ones_like(arange(3)).dtype() == kLong);
    CHECK(zeros({2, 0, 3}).numel() == 0);
    CHECK(ones({}).item<float>() == 1);
    CHECK(ones({2}, dtype(kDouble).requires_grad(true)).requires_grad());
    CHECK(zeros({1, 1, 1, 1, 1, 1, 1, 1}).dim() == 8);
  }

  TEST_CASE("ranges stop before their end, and both ends of a linspace are exact") {
    CHECK(same(arange(5), tensor({0, 1, 2, 3, 4})));
    CHECK(same(arange(2, 10, 3), tensor({2, 5, 8})));
    CHECK(same(arange(5, 0, -2), tensor({5, 3, 1})));
    CHECK(arange(0, 1, 0.25).dtype() == kFloat);
    CHECK(arange(0, 1, 0.25).size(0) == 4);
    CHECK(linspace(-1, 2, 7)[6].item<float>() == 2);
    CHECK(linspace(3, 9, 1)[0].item<float>() == 3);
    CHECK(same(eye(2, 3), tensor({{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}})));
  }

  TEST_CASE("from_blob sees memory that others own, with strides") {
    float data[] = {1, 2, 3, 4, 5, 6};
    const Tensor t = from_blob(data, {2, 3});
    data[4] = 9;
    CHECK(t[1][1].item<float>() == 9);
    CHECK(same(from_blob(data, {3, 2}, {1, 3}), t.t()));
  }

  TEST_CASE("from_blob calls the deleter with the memory when the last tensor over it is gone") {
    float data[] = {1, 2, 3, 4, 5, 6};
    std::vector<void*> deleted;
    const auto deleter = [&](void* p) { deleted.push_back(p); };
    {
      Tensor t = from_blob(data, {2, 3}, deleter, kFloat), view = t[1];
      const Tensor copy = t.clone();
      t = Tensor();
      CHECK(deleted.empty());
      CHECK(same(view, tensor({4., 5., 6.})));
    }
    CHECK(deleted == std::vector<void*>{data});
    CHECK(same(from_blob(data, {3, 2}, {1, 3}, deleter), tensor({{1., 4.}, {2., 5.}, {3., 6.}})));
    CHECK(deleted.size() == 2);
    from_blob(nullptr, {0}, deleter);
    CHECK(deleted.back() == nullptr);
  }

  TEST_CASE("impossible sizes, steps and types are refused in PyTorch's words") {
    CHECK(refusal([] {
            zeros({2, -1});
          }) == "Error: Trying to create tensor with negative dimension -1: [2, -1]");
    CHECK(refusal([] { arange(0, 5, 0); }) == "Error: step must be nonzero");
    CHECK(refusal([] { arange(5, 0, 1); }) ==
          "Error: upper bound and larger bound inconsistent with step sign");
    CHECK(refusal([] { linspace(0, 1, -1); }) == "Error: number of steps must be non-negative");
    CHECK(refusal([] { eye(-1); }) == "Error: n must be greater or equal to 0, got -1");
    CHECK_THROWS_WITH_AS(
        zeros({2}, kHalf),
        "dtype torch.float16 is not supported\nhint: use float32, float64, int64, int32, uint8 or bool",
        TypeError);
    CHECK_THROWS_AS(zeros({1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
    CHECK_THROWS_AS(zeros({int64_t{1} << 40, int64_t{1} << 40}), Error);
  }
}

TEST_SUITE("copies") {
  TEST_CASE("a clone has memory of its own, and keeps the order of dims in memory") {
    const Tensor x = arange(6).view({2, 3}).t(), y = x.clone();
    CHECK(same(x, y));
    CHECK(y.strides() == x.strides());
    CHECK_FALSE(y.is_alias_of(x));
    CHECK(x.contiguous().strides() == IntArrayRef({2, 1}));
    CHECK(y.contiguous().contiguous().is_contiguous());
  }

  TEST_CASE("types convert as C++ casts do, and to() returns its tensor if there is nothing to do") {
    const Tensor x = tensor({-1.7, 0.0, 2.9});
    CHECK(same(x.to(kLong), tensor({-1, 0, 2})));
    CHECK(same(x.to(kBool), tensor({true, false, true})));
    CHECK(x.to(kFloat).is_same(x));
    CHECK_FALSE(x.to(kFloat, false, true).is_same(x));
  }

  TEST_CASE("copy_ broadcasts and converts its source, also within one memory") {
    const Tensor x = zeros({2, 3});
    x.copy_(tensor({1, 2, 3}));
    CHECK(same(x, tensor({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}})));
    const Tensor line = arange(5);
    line.slice(0, 1, 5).copy_(line.slice(0, 0, 4));
    CHECK(same(line, tensor({0, 0, 1, 2, 3})));
    CHECK(refusal([&] {
            x.copy_(zeros({2, 2}));
          }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    CHECK(refusal([] {
            zeros({2}).copy_(zeros({3, 2}));
          }) == "Error: output with shape [2] doesn't match the broadcast shape [3, 2]");
    CHECK(refusal([&] { x.fill_(zeros({2})); }) ==
          "Error: fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.");
  }

  TEST_CASE("a fill refuses a value that its elements cannot hold") {
    CHECK(refusal([] { zeros({2}, kByte).fill_(300); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { zeros({2}, kInt).fill_(std::nan("")); }) ==
          "Error: value cannot be converted to type int without overflow");
    CHECK(refusal([] { zeros({2}).fill_(1e40); }) ==
          "Error: value cannot be converted to type float without overflow");
    CHECK(zeros({2}, kByte).fill_(-1)[1].item<int64_t>() == 255);
    CHECK(zeros({2}, kBool).fill_(1e40).all().item<bool>());
  }

  TEST_CASE("copying what requires grad into integers records nothing") {
    const Tensor whole = zeros({3}, kLong), source = tensor({1.5, 2.5, 3.5}).requires_grad_();
    whole.copy_(source);
    CHECK_FALSE(whole.requires_grad());
    CHECK(same(whole, tensor({1, 2, 3})));
  }
}
