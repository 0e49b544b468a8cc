// What AnyValue does beyond LibTorch's, which wraps an lvalue of AnyValue in endless recursion.
#include <doctest/doctest.h>

#include "etude/core/tensor.h"
#include "etude/nn/any_value.h"
#include "support/refusal.h"

using etude::refusal;
using etude::nn::AnyValue;

TEST_SUITE("AnyValue, beyond LibTorch") {
  TEST_CASE("can be copied from an lvalue without being wrapped") {
    AnyValue value(5);
    AnyValue copy(value);
    CHECK(copy.get<int>() == 5);
  }

  TEST_CASE("names Etude's own types") {
    AnyValue value(5);
    CHECK(refusal([&] { value.get<etude::Tensor>(); }) ==
          "Error: Attempted to cast AnyValue to etude::Tensor, but its actual type is int");
  }
}
