// What AnyModule accepts beyond LibTorch's, a const forward, and Etude's own names in its messages.
#include "etude/nn/any_module.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using nn::AnyModule;

TEST_SUITE("AnyModule, beyond LibTorch") {
  namespace {

  struct Constant : nn::Module {
    int forward() const { return 123; }
  };
  struct Double : nn::Module {
    Tensor forward(const Tensor& x) { return x * 2; }
  };

  }  // namespace

  TEST_CASE("calls a forward that is const") { CHECK(AnyModule(Constant()).forward<int>() == 123); }

  TEST_CASE("names position and types of a wrong argument") {
    CHECK(refusal([&] { AnyModule(Double()).forward(5); }) ==
          "Error: Expected argument #0 to be of type etude::Tensor, but received value of type int");
    CHECK(refusal([&] { AnyModule(Double()).forward<int>(etude::ones({1})); }) ==
          "Error: Attempted to cast AnyValue to int, but its actual type is etude::Tensor");
  }
}
