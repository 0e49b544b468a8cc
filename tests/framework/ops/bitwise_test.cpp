// Bits of integers, logic on bools: as functions, methods and operators.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("bits") {
  TEST_CASE("integers have bits, bools are true or false, and types are promoted") {
    const Tensor a = etude::tensor({6, 5, -1}, kLong), b = etude::tensor({3, 4, 2}, kInt);
    CHECK(same(bitwise_and(a, b), etude::tensor({2, 4, 2}, kLong)));
    CHECK(same(bitwise_or(a, b), etude::tensor({7, 5, -1}, kLong)));
    CHECK(same(bitwise_xor(a, b), etude::tensor({5, 1, -3}, kLong)));
    CHECK(same(bitwise_not(b), etude::tensor({-4, -5, -3}, kInt)));
    CHECK(same(etude::tensor({3, 0}, kByte).bitwise_not(), etude::tensor({252, 255}, kByte)));
    const Tensor on = etude::tensor({true, true, false}), off = etude::tensor({true, false, false});
    CHECK(same(bitwise_and(on, off), etude::tensor({true, false, false})));
    CHECK(same(bitwise_xor(on, off), etude::tensor({false, true, false})));
    CHECK(same(bitwise_not(on), etude::tensor({false, false, true})));
    CHECK(same(bitwise_and(on, a), etude::tensor({0, 1, 0}, kLong)));
    CHECK(same(a.unsqueeze(1).bitwise_and(b.t()).select(0, 0), etude::tensor({2, 4, 2}, kLong)));
  }

  TEST_CASE("a number stands on either side") {
    const Tensor u = etude::tensor({3, 1}, kByte);
    CHECK(same(u & 2, etude::tensor({2, 0}, kByte)));
    CHECK(same(2 & u, etude::tensor({2, 0}, kByte)));
    CHECK(same(4 | u, etude::tensor({7, 5}, kByte)));
    CHECK(same(u ^ 1, etude::tensor({2, 0}, kByte)));
    CHECK(same(bitwise_or(8, u), etude::tensor({11, 9}, kByte)));
    CHECK(same(u.bitwise_xor(true), etude::tensor({2, 0}, kByte)));
    CHECK(same(etude::tensor({true, false}) & 3, etude::tensor({1, 0}, kLong)));
  }

  TEST_CASE("in place, the tensor keeps its type") {
    Tensor x = etude::tensor({{12, 10}, {3, 1}}, kInt), row = x[0];
    row &= etude::tensor({8, 2}, kLong);
    CHECK(same(x, etude::tensor({{8, 2}, {3, 1}}, kInt)));
    x |= etude::tensor(1);
    x ^= etude::tensor({{1}, {2}}, kInt);
    CHECK(same(x, etude::tensor({{8, 2}, {1, 3}}, kInt)));
    CHECK(same(x.bitwise_or_(4).bitwise_and_(5).bitwise_xor_(true), etude::tensor({{5, 5}, {4, 4}}, kInt)));
    CHECK(same(x.bitwise_not_(), etude::tensor({{-6, -6}, {-5, -5}}, kInt)));
    Tensor mask = etude::tensor({true, true, false});
    mask &= etude::tensor({true, false, true});
    CHECK(same(mask, etude::tensor({true, false, false})));
    CHECK(same(mask.bitwise_not_(), etude::tensor({false, true, true})));
    mask |= mask;
    CHECK(same(mask, etude::tensor({false, true, true})));
  }

  TEST_CASE("empty and 0-dim tensors") {
    CHECK(same(etude::zeros({0, 2}, kLong) & etude::ones({2}, kLong), etude::zeros({0, 2}, kLong)));
    CHECK(same(etude::tensor(6) & etude::tensor(3), etude::tensor(2)));
    CHECK(same(~etude::zeros({0}, kBool), etude::zeros({0}, kBool)));
  }

  TEST_CASE("refuses numbers with fractions, and what does not fit") {
    const Tensor real = etude::ones({2}), whole = etude::ones({2}, kLong), mask = etude::ones({2}, kBool);
    CHECK(refusal([&] { bitwise_and(real, whole); }) ==
          "Error: \"bitwise_and_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] { whole | 1.5; }) == "Error: \"bitwise_or_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] { real.clone().bitwise_xor_(whole); }) ==
          "Error: \"bitwise_xor_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] { bitwise_not(real); }) == "Error: \"bitwise_not_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] { real.clone().bitwise_not_(); }) ==
          "Error: \"bitwise_not_cpu\" not implemented for 'Float'");
    CHECK(refusal([&] { whole.clone().bitwise_and_(real); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK(refusal([&] { mask.clone().bitwise_or_(1); }) ==
          "Error: result type Long can't be cast to the desired output type Bool");
    CHECK(refusal([&] { bitwise_and(whole, etude::ones({3}, kLong)); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
    CHECK(refusal([&] { whole.slice(0, 0, 1).clone().bitwise_and_(whole); }) ==
          "Error: output with shape [1] doesn't match the broadcast shape [2]");
    CHECK(refusal([&] { etude::ones({2}, requires_grad()).bitwise_and_(1); }) ==
          "Error: a leaf Variable that requires grad is being used in an in-place operation.");
  }

  TEST_CASE("logic in place writes zeros and ones of the tensor's type") {
    const Tensor a = etude::tensor({2.f, 0.f, 0.f}), b = etude::tensor({1, 1, 0});
    CHECK(same(a.clone().logical_and_(b), etude::tensor({1.f, 0.f, 0.f})));
    CHECK(same(a.clone().logical_or_(b), etude::tensor({1.f, 1.f, 0.f})));
    CHECK(same(a.clone().logical_xor_(b), etude::tensor({0.f, 1.f, 0.f})));
    CHECK(same(b.clone().logical_or_(a), etude::tensor({1, 1, 0}, b.scalar_type())));
  }
}
