// Values of size_t, which LibTorch's IValue does not accept, and one message for every value of another type.
#include "etude/core/ivalue.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("ivalue, beyond LibTorch") {
  TEST_CASE("a size is an integer") { CHECK(IValue(size_t{3}).isInt()); }

  TEST_CASE("a value of another kind is refused") {
    CHECK(refusal([] { IValue(3).toTensor(); }) == "Error: Expected Tensor but got Int");
    CHECK(refusal([] { IValue(3).toStringRef(); }) == "Error: Expected String but got Int");
    CHECK(refusal([] { IValue("3").toInt(); }) == "Error: Expected Int but got String");
    CHECK(refusal([] { IValue(3).toDouble(); }) == "Error: Expected Double but got Int");
    CHECK(refusal([] { IValue().toBool(); }) == "Error: Expected Bool but got None");
    CHECK(refusal([] { IValue(2.5).toIntVector(); }) == "Error: Expected IntList but got Double");
    CHECK(refusal([] { IValue(etude::ones({1})).toScalar(); }) == "Error: Expected Scalar but got Tensor");
  }
}
