// What Etude's indices do beyond LibTorch's.
#include <doctest/doctest.h>

#include <string>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using indexing::Slice;
using indexing::TensorIndex;

TEST_SUITE("index, beyond LibTorch") {
  TEST_CASE("a tensor that is const is assigned to, since it is a handle") {
    const Tensor x = etude::zeros({2, 2});
    x.index_put_({0}, 1);
    CHECK(&x.index_put_({etude::tensor({1})}, etude::tensor({2., 3.})) == &x);
    CHECK(same(etude::index_put_(x, {etude::tensor({1})}, etude::tensor(1.), true),
               etude::tensor({{1., 1.}, {3., 4.}})));
  }

  TEST_CASE("a list of indices without a tensor is refused") {
    const Tensor x = etude::zeros({2, 3});
    CHECK(refusal([&] { etude::index(x, {nullopt}); }) == "IndexError: at least one index must be a tensor");
    CHECK(refusal([&] { etude::index_put_(x, {}, x); }) == "IndexError: at least one index must be a tensor");
  }

  TEST_CASE("a number that is just too large for int64, and memory that elements share, are refused") {
    const Tensor x = etude::zeros({2}, kLong);
    CHECK(refusal([&] { x.index_put_({0}, 0x1p63); }) ==
          "Error: value cannot be converted to type int64_t without overflow");
    CHECK(refusal([&] {
            etude::zeros({1, 2}).expand({3, 2}).index_put_({Slice(1)}, 1);
          }) ==
          "Error: unsupported operation: more than one element of the written-to tensor refers to a single "
          "memory location. Please clone() "
          "the tensor before performing the operation.");
  }

  TEST_CASE("an index that is a tensor is written as Python writes it") {
    CHECK(str(TensorIndex(etude::tensor({1, 2}))) == "tensor([1, 2])");
  }
}
