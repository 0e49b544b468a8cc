// The modes of interpolate that Etude refuses, and scales that do not fit.
#include <doctest/doctest.h>

#include "etude/framework.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional::interpolate, beyond LibTorch") {
  TEST_CASE("names the modes that are not there") {
    const auto of = [](IntArrayRef sizes, F::InterpolateFuncOptions options) {
      options.size(std::vector<int64_t>(sizes.size() - 2, 3));
      return refusal([&] { F::interpolate(etude::ones(sizes), options); });
    };
    const F::InterpolateFuncOptions given;
    const auto mode = [](auto kind) { return F::InterpolateFuncOptions().mode(kind); };
    const std::string start = "Error: interpolate: mode ", end = " input is not implemented";
    CHECK_THROWS_AS(F::interpolate(etude::ones({1, 1, 4}), mode(kArea)), NotImplementedError);
    CHECK(of({1, 1, 4, 4}, mode(kBicubic)) == start + "kBicubic of 4D" + end);
    CHECK(of({1, 1, 4}, mode(kArea)) == start + "kArea of 3D" + end);
    CHECK(of({1, 1, 4}, mode(kNearestExact)) == start + "kNearestExact of 3D" + end);
    CHECK(of({1, 1, 4, 4, 4}, mode(kTrilinear)) == start + "kTrilinear of 5D" + end);
    CHECK(of({1, 1, 4, 4, 4}, given) == start + "kNearest of 5D" + end);
    CHECK(of({1, 1, 4, 4}, mode(kBilinear).antialias(true)) ==
          start + "kBilinear with antialias of 4D" + end);
    const auto scaled = [](IntArrayRef sizes, double scale) {
      return refusal([&] {
        F::interpolate(etude::ones(sizes),
                       F::InterpolateFuncOptions().scale_factor(std::vector<double>{scale}));
      });
    };
    CHECK(scaled({1, 1, 4}, 1e300) == "Error: scale_factor 1e+300 is out of range");
    CHECK(scaled({1, 1, 4, 4}, 2) ==
          "Error: scale_factor shape must match input shape. Input is 2D, scale_factor size is [2]");
  }
}
