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
    etude::from_blob(nullptr, {0}, deleter);
    CHECK(deleted.size() == 2);
  }

  TEST_CASE("impossible sizes, steps and types are refused in PyTorch's words") {
    CHECK(refusal([] {
            etude::zeros({2, -1});
          }) == "Error: Trying to create tensor with negative dimension -1: [2, -1]");
    CHECK(refusal([] { etude::arange(0, 5, 0); }) == "Error: step must be nonzero");
    CHECK(refusal([] { etude::arange(5, 0, 1); }) ==
          "Error: upper bound and larger bound inconsistent with step sign");
    CHECK(refusal([] { etude::linspace(0, 1, -1); }) == "Error: number of steps must be non-negative");
    CHECK(refusal([] { etude::eye(-1); }) == "Error: n must be greater or equal to 0, got -1");
    CHECK_THROWS_AS(etude::zeros({int64_t{1} << 40, int64_t{1} << 40}), Error);
  }
}

TEST_SUITE("copies") {
  TEST_CASE("a clone has memory of its own, and keeps the order of dims in memory") {
    const Tensor x = etude::arange(6).view({2, 3}).t(), y = x.clone();
    CHECK(same(x, y));
    CHECK(y.strides() == x.strides());
    CHECK_FALSE(y.is_alias_of(x));
    CHECK(x.contiguous().strides() == IntArrayRef({2, 1}));
    CHECK(y.contiguous().contiguous().is_contiguous());
  }

  TEST_CASE("types convert as C++ casts do, and to() returns its tensor if there is nothing to do") {
    const Tensor x = etude::tensor({-1.7, 0.0, 2.9});
    CHECK(same(x.to(kLong), etude::tensor({-1, 0, 2})));
    CHECK(same(x.to(kBool), etude::tensor({true, false, true})));
    CHECK(x.to(kFloat).is_same(x));
    CHECK_FALSE(x.to(kFloat, false, true).is_same(x));
  }

  TEST_CASE("copy_ broadcasts and converts its source") {
    const Tensor x = etude::zeros({2, 3});
    x.copy_(etude::tensor({1, 2, 3}));
    CHECK(same(x, etude::tensor({{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}})));
    CHECK(refusal([&] {
            x.copy_(etude::zeros({2, 2}));
          }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    CHECK(refusal([] {
            etude::zeros({2}).copy_(etude::zeros({3, 2}));
          }) == "Error: output with shape [2] doesn't match the broadcast shape [3, 2]");
    CHECK(refusal([&] { x.fill_(etude::zeros({2})); }) ==
          "Error: fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.");
  }

  TEST_CASE("a fill refuses a value that its elements cannot hold") {
    CHECK(refusal([] { etude::zeros({2}, kByte).fill_(300); }) ==
          "Error: value cannot be converted to type uint8_t without overflow");
    CHECK(refusal([] { etude::zeros({2}, kInt).fill_(std::nan("")); }) ==
          "Error: value cannot be converted to type int without overflow");
    CHECK(refusal([] { etude::zeros({2}).fill_(1e40); }) ==
          "Error: value cannot be converted to type float without overflow");
    CHECK(etude::zeros({2}, kByte).fill_(-1)[1].item<int64_t>() == 255);
    CHECK(etude::zeros({2}, kBool).fill_(1e40).all().item<bool>());
  }

  TEST_CASE("copying what requires grad into integers records nothing") {
    const Tensor whole = etude::zeros({3}, kLong), source = etude::tensor({1.5, 2.5, 3.5}).requires_grad_();
    whole.copy_(source);
    CHECK_FALSE(whole.requires_grad());
    CHECK(same(whole, etude::tensor({1, 2, 3})));
  }
}
