// The print of Upsample.
#include "etude/upsampling.h"

#include <doctest/doctest.h>

#include "layers/golden.h"

using namespace etude;

TEST_SUITE("Upsample, beyond LibTorch") {
  TEST_CASE("prints its options as Python does") {
    const auto with = [](auto size, auto scale, auto mode) {
      return golden::text(nn::Upsample(nn::UpsampleOptions().size(size).scale_factor(scale).mode(mode)));
    };
    using Sizes = std::vector<int64_t>;
    using Scales = std::vector<double>;
    CHECK(with(nullopt, Scales{2}, kNearest) == "Upsample(scale_factor=2.0, mode='nearest')");
    CHECK(with(nullopt, Scales{2.5, 1}, kBilinear) == "Upsample(scale_factor=(2.5, 1.0), mode='bilinear')");
    CHECK(with(Sizes{2, 3}, nullopt, kBilinear) == "Upsample(size=(2, 3), mode='bilinear')");
  }
}
