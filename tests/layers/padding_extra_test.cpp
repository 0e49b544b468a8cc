// The prints of Unfold, Fold and the padding layers.
#include "etude/padding.h"

#include <doctest/doctest.h>

#include "etude/fold.h"
#include "layers/golden.h"

using namespace etude;

TEST_SUITE("layers of borders, beyond LibTorch") {
  TEST_CASE("print their options as Python does") {
    CHECK(golden::text(nn::ConstantPad1d(2, 3.5)) == "ConstantPad1d(padding=(2, 2), value=3.5)");
    CHECK(golden::text(nn::ConstantPad2d(2, 0.5)) == "ConstantPad2d(padding=(2, 2, 2, 2), value=0.5)");
    CHECK(golden::text(nn::ZeroPad2d(nn::ZeroPad2dOptions({1, 2, 3, 4}))) == "ZeroPad2d((1, 2, 3, 4))");
    CHECK(golden::text(nn::ReflectionPad1d(2)) == "ReflectionPad1d((2, 2))");
    CHECK(golden::text(nn::ReplicationPad2d(1)) == "ReplicationPad2d((1, 1, 1, 1))");
    CHECK(golden::text(nn::Unfold(3)) == "Unfold(kernel_size=3, dilation=1, padding=0, stride=1)");
    CHECK(golden::text(nn::Unfold(nn::UnfoldOptions({2, 3}).dilation(2).padding({0, 1}).stride(4))) ==
          "Unfold(kernel_size=(2, 3), dilation=2, padding=(0, 1), stride=4)");
    CHECK(golden::text(nn::Fold(nn::FoldOptions({4, 5}, 2))) ==
          "Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)");
  }
}
