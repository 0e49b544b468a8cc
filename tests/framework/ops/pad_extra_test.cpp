// Padding in cases where PyTorch reads or returns uninitialised memory, and the whole texts of errors.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("pad, beyond LibTorch") {
  TEST_CASE("a circle of what is left cannot be gone round more than once") {
    const Tensor x = etude::arange(4.0).view({1, 1, 4});
    CHECK(pad(x, {-1, 3}, "circular").equal(etude::tensor({1.0, 2.0, 3.0, 1.0, 2.0, 3.0}).view({1, 1, 6})));
    CHECK(pad(x, {1, -2}, "circular").equal(etude::tensor({1.0, 0.0, 1.0}).view({1, 1, 3})));
    for (const auto& border : {std::vector<int64_t>{-3, 2}, {-4, 2}, {2, -4}})
      CHECK(refusal_text([&] { pad(x, border, "circular"); }) ==
            "Padding value causes wrapping around more than once.");
  }

  TEST_CASE("borders of the wrong length or size are refused, with what was received") {
    const Tensor x = etude::zeros({2, 3, 4});
    CHECK(refusal_lines([&] { reflection_pad1d(x, {1}); }) ==
          "padding size is expected to be 2\nreceived [1] for 1 dims of space: a number for each end");
    CHECK(refusal_text([&] {
            constant_pad_nd(x, {int64_t{1} << 62, int64_t{1} << 62});
          }) == "padding is out of range, got [4611686018427387904, 4611686018427387904]");
  }
}
