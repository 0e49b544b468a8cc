// Upsample: interpolate with its options.
#include "etude/upsampling.h"

#include <doctest/doctest.h>

#include "etude/etude.h"
#include "support/uneven.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("Upsample") {
  TEST_CASE("is interpolate with its options, and so is a clone") {
    const Tensor x = uneven({2, 3, 4, 5});
    const std::vector<double> twice = {2, 1.5};
    const std::vector<int64_t> sizes = {3, 7};
    nn::Upsample nearest(nn::UpsampleOptions().scale_factor(twice));
    CHECK(nearest(x).equal(F::interpolate(x, F::InterpolateFuncOptions().scale_factor(twice))));
    nn::Upsample smooth(nn::UpsampleOptions().size(sizes).mode(kBilinear).align_corners(true));
    const Tensor y =
        F::interpolate(x, F::InterpolateFuncOptions().size(sizes).mode(kBilinear).align_corners(true));
    CHECK(smooth(x).equal(y));
    nn::Upsample copy = std::dynamic_pointer_cast<nn::UpsampleImpl>(smooth->clone());
    CHECK(copy(x).equal(y));
  }
}
