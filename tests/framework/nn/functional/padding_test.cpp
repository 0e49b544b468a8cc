// functional::pad: its options reach the op.
#include "etude/nn/functional/padding.h"

#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional::pad") {
  TEST_CASE("is the op with its options") {
    const Tensor x = uneven({2, 3, 4, 5});
    CHECK(F::pad(x, F::PadFuncOptions({1, 2, 0, -1})).equal(constant_pad_nd(x, {1, 2, 0, -1})));
    CHECK(F::pad(x, F::PadFuncOptions({1, 2}).value(1.5)).equal(constant_pad_nd(x, {1, 2}, 1.5)));
    CHECK(F::pad(x, F::PadFuncOptions({1, 2, 3, 0}).mode(kReflect)).equal(reflection_pad2d(x, {1, 2, 3, 0})));
    CHECK(F::pad(x, F::PadFuncOptions({1, 2, 3, 0}).mode(kReplicate))
              .equal(replication_pad2d(x, {1, 2, 3, 0})));
    CHECK(F::pad(x, F::PadFuncOptions({1, 2, 3, 0}).mode(kCircular)).equal(pad(x, {1, 2, 3, 0}, "circular")));
  }

  TEST_CASE("a value is for a constant") {
    CHECK(refusal_text([] {
            F::pad(etude::zeros({1, 1, 4}), F::PadFuncOptions({1, 1}).mode(kReplicate).value(2));
          }) == "Padding mode \"replicate\" doesn't take in value argument");
  }
}
