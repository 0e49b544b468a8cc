// The whole texts of einsum's errors; einsum_test.cpp compares the first lines of all errors with PyTorch.
#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("equation") {
  TEST_CASE("a refusal says what was received") {
    const Tensor a = etude::zeros({2, 3}), b = etude::zeros({2});
    CHECK(refusal_lines([&] {
            einsum("ij,j->i", {a, b});
          }) ==
          "einsum(): subscript j has size 2 for operand 1 which does not broadcast with previously seen size "
          "3\n"
          "received \"ij,j->i\" for [2, 3] [2]");
    CHECK(refusal_lines([&] {
            einsum("ij,i", {a, b}, {0, 1, 0, 1});
          }) ==
          "einsum(): expected contraction path given in path parameter to have size 2 but got 4\n"
          "hint: each step names two operands; its result is then the last of those that are left");
    CHECK(refusal_text([&] { einsum("a,b,c,d,e->abcde", std::vector<Tensor>(5, etude::zeros({2}))); }) == "");
    CHECK(refusal([&] {
            einsum("abc,def,ghi->abcdefghi", std::vector<Tensor>(3, etude::zeros({2, 2, 2})));
          }) == "Error: tensors of more than 8 dims are not supported");
    CHECK(
        refusal_lines([&] { tensordot(a, b, {1}, {0}); }) ==
        "contracted dimensions need to match, but first has size 3 in dim 1 and second has size 2 in dim 0\n"
        "received sizes [2, 3] and [2]");
    CHECK(refusal_lines([&] {
            tensordot(a, b, {0, 1}, {0});
          }) == "both dimension lists should have same length\nreceived dims [0, 1] and [0]");
  }
}
