// interpolate: values and gradients recorded from both versions of PyTorch, and what it refuses.
#include "etude/nn/functional/upsampling.h"

#include <vector>

#include "etude/framework.h"
#include "support/golden_functions.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional::interpolate") {
  namespace {

  using List = std::vector<Tensor>;
  using Lengths = std::vector<int64_t>;
  using Factors = std::vector<double>;

  F::InterpolateFuncOptions options_of(const Recorded& arguments) {
    F::InterpolateFuncOptions options;
    if (arguments.contains("size")) options.size(arguments.at("size").get<Lengths>());
    if (arguments.contains("scale")) options.scale_factor(arguments.at("scale").get<Factors>());
    if (arguments.contains("align")) options.align_corners(arguments.at("align").get<bool>());
    if (arguments.contains("again") && !arguments.at("again").is_null())
      options.recompute_scale_factor(arguments.at("again").get<bool>());
    const std::string mode = arguments.value("mode", "nearest");
    if (mode == "linear") options.mode(kLinear);
    if (mode == "bilinear") options.mode(kBilinear);
    return options;
  }

  std::string refused(IntArrayRef sizes, const F::InterpolateFuncOptions& options) {
    return refusal_text([&] { F::interpolate(etude::ones(sizes), options); });
  }

  }  // namespace

  TEST_CASE("values and gradients are PyTorch's") {
    check_recorded("interpolate", [](const List& in, const Recorded& arguments) {
      return List{F::interpolate(in[0], options_of(arguments))};
    });
    check_recorded("nearest sources", [](const List& in, const Recorded&) {
      List found;
      for (const Tensor& x : in)
        for (int64_t size = 1; size < 30; ++size)
          found.push_back(F::interpolate(x, F::InterpolateFuncOptions().size(Lengths{size})));
      return List{etude::cat(found, -1)};
    });
  }

  TEST_CASE("refuses options that do not go together") {
    const F::InterpolateFuncOptions none, three = F::InterpolateFuncOptions().size(Lengths{3});
    const auto of_three = [&](auto mode) {
      return F::InterpolateFuncOptions(three).mode(mode).align_corners(false);
    };
    CHECK(refused({1, 1, 4}, none) == "either size or scale_factor should be defined");
    CHECK(refused({1, 1, 4}, F::InterpolateFuncOptions(three).scale_factor(Factors{2})) ==
          "only one of size or scale_factor should be defined");
    CHECK(refused({1, 1, 4}, of_three(kNearest)) ==
          "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
          "trilinear");
    CHECK(refused({1, 1, 4}, of_three(kBilinear)) == "Got 3D input, but bilinear mode needs 4D input");
    CHECK(refused({1, 1, 4, 4}, of_three(kLinear)) == "Got 4D input, but linear mode needs 3D input");
    CHECK(refused({1, 1, 4, 4}, of_three(kTrilinear)) == "Got 4D input, but trilinear mode needs 5D input");
    CHECK(refused({1, 1, 4}, F::InterpolateFuncOptions(three).antialias(true)) ==
          "Anti-alias option is only supported for bilinear and bicubic modes");
    CHECK(refused({1, 1, 4}, F::InterpolateFuncOptions().scale_factor(Factors{0.1})) ==
          "Input and output sizes should be greater than 0, but got input (W: 4) and output (W: 0)");
  }

  TEST_CASE("a tensor of fewer dims is no signal") {
    CHECK(
        refused({1, 4}, F::InterpolateFuncOptions().size(Lengths{3})) ==
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got 2D) for the modes: nearest | linear | "
        "bilinear | bicubic | trilinear (got kNearest)");
  }
}
