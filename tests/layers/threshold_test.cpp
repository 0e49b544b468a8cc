#include "etude/threshold.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Layers of straight lines with gaps") {
  namespace {

  const Tensor x = golden::ramp({3, 4}) * 3;

  }  // namespace

  TEST_CASE("are their functions with the options kept, and PyTorch's defaults") {
    CHECK(same(Threshold(0.5, 7)(x), where(x.gt(0.5), x, etude::full({}, 7.0))));
    CHECK(same(Threshold(ThresholdOptions(0.5, 7))(x), threshold(x, 0.5, 7)));
    CHECK(same(Hardtanh()(x), clamp(x, -1, 1)));
    CHECK(same(Hardtanh(HardtanhOptions().min_val(-2).max_val(0.5))(x), clamp(x, -2, 0.5)));
    CHECK(same(Hardshrink()(x), x.masked_fill(x.abs().le(0.5), 0)));
    CHECK(same(Hardshrink(2)(x), x.masked_fill(x.abs().le(2), 0)));
    CHECK(same(Softshrink()(x), x - clamp(x, -0.5, 0.5)));
    CHECK(same(Softshrink(SoftshrinkOptions(2))(x), x - clamp(x, -2, 2)));
    CHECK(same(Tanhshrink()(x), x - tanh(x)));
  }

  TEST_CASE("write into their input if they are told to") {
    const Tensor a = x.clone(), b = x.clone();
    CHECK(Threshold(ThresholdOptions(0.5, 7).inplace(true))(a).is_same(a));
    CHECK(same(a, threshold(x, 0.5, 7)));
    CHECK(Hardtanh(HardtanhOptions().inplace(true))(b).is_same(b));
    CHECK(same(b, hardtanh(x)));
  }

  TEST_CASE("Hardtanh refuses bounds in the wrong order") {
    CHECK(refusal([] { Hardtanh(HardtanhOptions().min_val(1).max_val(1)); }) ==
          "Error: max_val must be greater than min_val");
  }

  TEST_CASE("can be cloned") {
    Hardtanh original(HardtanhOptions().max_val(0.25));
    CHECK(std::dynamic_pointer_cast<HardtanhImpl>(original->clone())->options.max_val() == 0.25);
  }
}
