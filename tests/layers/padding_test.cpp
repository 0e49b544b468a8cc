// The padding layers: the ops with their options.
#include "etude/padding.h"

#include <doctest/doctest.h>

#include "etude/etude.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("layers of borders") {
  TEST_CASE("each is its op with its options") {
    const Tensor x = uneven({2, 3, 4, 5}), signal = x[0];
    CHECK(nn::ConstantPad1d(nn::ConstantPad1dOptions({1, 2}, 3.5))(signal).equal(
        constant_pad_nd(signal, {1, 2}, 3.5)));
    CHECK(nn::ConstantPad2d(2, 0.5)(x).equal(constant_pad_nd(x, {2, 2, 2, 2}, 0.5)));
    CHECK(nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 2, 0, -1}))(x).equal(constant_pad_nd(x, {1, 2, 0, -1})));
    CHECK(nn::ReflectionPad1d(2)(signal).equal(reflection_pad1d(signal, {2, 2})));
    CHECK(nn::ReflectionPad2d(nn::ReflectionPad2dOptions({1, 2, 3, 0}))(x).equal(
        reflection_pad2d(x, {1, 2, 3, 0})));
    CHECK(nn::ReplicationPad1d(nn::ReplicationPad1dOptions({3, 0}))(signal).equal(
        replication_pad1d(signal, {3, 0})));
    CHECK(nn::ReplicationPad2d(1)(x).equal(replication_pad2d(x, {1, 1, 1, 1})));
  }

  TEST_CASE("a clone has the same options") {
    const Tensor x = uneven({1, 2, 3});
    nn::ReflectionPad1d pad(1);
    nn::ReflectionPad1d copy = std::dynamic_pointer_cast<nn::ReflectionPad1dImpl>(pad->clone());
    CHECK(copy(x).equal(pad(x)));
  }
}
