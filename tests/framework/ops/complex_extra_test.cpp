#include <doctest/doctest.h>

#include <string>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("complex numbers") {
  TEST_CASE("there are none, and each name says so") {
    const Tensor x = etude::ones({3, 2});
    CHECK(refusal([&] { view_as_real(x); }) == "Error: view_as_real is only supported for complex tensors");
    CHECK_THROWS_AS(polar(x, x), NotImplementedError);
    const std::string hint =
        "hint: a rotation is two real numbers, (x cos a - y sin a, x sin a + y cos a); for rotary embeddings "
        "there "
        "is RotaryPositions, which rotates queries and keys in this form";
    CHECK(refusal_lines([&] { view_as_complex(x); }) ==
          "view_as_complex: Etude has no complex tensors\n" + hint);
    CHECK(refusal_lines([&] { polar(x, x); }) == "polar: Etude has no complex tensors\n" + hint);
    CHECK(refusal([] { etude::zeros({2}, kComplexFloat); }) ==
          "Error: dtype torch.complex64 is not supported");
  }
}
