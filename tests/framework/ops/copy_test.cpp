// Copies between tensors, layouts and types, and fills.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

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

  TEST_CASE("the gradients of copies and fills are those of finite differences") {
    check_gradients({
                        [](const auto& in) { return in[0].to(kFloat).to(kDouble) * 0 + in[0]; },
                        [](const auto& in) { return in[0].clone() * in[0].t().contiguous().t(); },
                        [](const auto& in) {
                          const Tensor y = in[0] * in[0];
                          y[1].copy_(in[1]);
                          return y;
                        },
                        [](const auto& in) {
                          const Tensor y = in[0] * in[0];
                          y[0].fill_(in[1][0]);
                          y.select(1, 0).fill_(2);
                          return y;
                        },
                    },
                    {etude::tensor({{5.5, -5.5}, {2.2, -0.7}}, kDouble), etude::tensor({0.3, -2.}, kDouble)});
  }

  TEST_CASE("resize_ finds room behind the place where a view starts") {
    Tensor empty = etude::empty({0, 6, 3}).slice(1, 5);
    CHECK(empty.resize_({2, 2}).fill_(3).sizes() == IntArrayRef({2, 2}));
    CHECK(equal(empty, etude::full({2, 2}, 3.)));
    Tensor far = etude::ones({4}).as_strided({0}, {1}, 100000);
    CHECK(equal(far.resize_({4}).fill_(2), etude::full({4}, 2.)));
    CHECK(far.storage_offset() == 100000);
    Tensor tail = etude::arange(6).slice(0, 4);
    tail.resize_({5});
    CHECK(equal(tail.slice(0, 0, 2), etude::tensor({4, 5})));
    const int64_t most = std::numeric_limits<int64_t>::max();
    CHECK(refusal([&] { etude::empty({0}).resize_({most}); }) ==
          "Error: Storage size calculation overflowed with sizes=[9223372036854775807]");
    CHECK(refusal([&] {
            etude::empty({0}).resize_({-1, 7});
          }) == "Error: numel: integer multiplication overflow");
  }

  TEST_CASE("a copy onto itself is a write") {
    const Tensor leaf = etude::ones({2}, requires_grad());
    CHECK(refusal([&] { leaf.copy_(leaf); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
    const Tensor expanded = etude::ones({1}).expand({3});
    CHECK(expanded.copy_(expanded).numel() == 3);
  }
}
