#include "etude/flatten.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;
using nn::Flatten;
using nn::FlattenOptions;

TEST_SUITE("Flatten") {
  TEST_CASE("makes one dim of all but the first, keeping the order of the elements") {
    const Tensor x = etude::arange(24).reshape({2, 3, 4});
    CHECK(Flatten()(x).equal(etude::arange(24).reshape({2, 12})));
  }

  TEST_CASE("makes one dim of the dims it is given") {
    const Tensor x = etude::arange(24).reshape({2, 3, 4, 1});
    CHECK(Flatten(FlattenOptions().start_dim(0).end_dim(1))(x).equal(etude::arange(24).reshape({6, 4, 1})));
    CHECK(Flatten(FlattenOptions().start_dim(-2))(x).equal(etude::arange(24).reshape({2, 3, 4})));
  }

  TEST_CASE("passes gradients back in the shape of its input") {
    const Tensor x = golden::ramp({2, 3, 4}).requires_grad_();
    (Flatten()(x) * golden::ramp({2, 12})).sum().backward();
    CHECK(x.grad().equal(golden::ramp({2, 3, 4})));
  }
}
