#include "etude/autograd/anomaly_mode.h"

#include <doctest/doctest.h>

#include <limits>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/leaf.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AnomalyMode;
using autograd::DetectAnomalyGuard;

TEST_SUITE("anomaly mode") {
  TEST_CASE("a guard turns the mode on for its scope and restores what was before") {
    CHECK_FALSE(AnomalyMode::is_enabled());
    CHECK(AnomalyMode::should_check_nan());
    {
      const DetectAnomalyGuard outer(false);
      CHECK((AnomalyMode::is_enabled() && !AnomalyMode::should_check_nan()));
      {
        const DetectAnomalyGuard inner;
        CHECK((AnomalyMode::is_enabled() && AnomalyMode::should_check_nan()));
      }
      CHECK((AnomalyMode::is_enabled() && !AnomalyMode::should_check_nan()));
    }
    CHECK_FALSE(AnomalyMode::is_enabled());
    CHECK(AnomalyMode::should_check_nan());
    AnomalyMode::set_enabled(true);
    CHECK(AnomalyMode::is_enabled());
    AnomalyMode::set_enabled(false);
    CHECK_FALSE(AnomalyMode::is_enabled());
  }

  TEST_CASE("the op whose backward gives a nan is named, with the number of the input") {
    const Tensor x = leaf({-1.0, 2.0}), a = leaf({1.0, 0.0});
    {
      const DetectAnomalyGuard on;
      CHECK(refusal([&] { x.sqrt().sum().backward(); }) ==
            "Error: Function 'SqrtBackward0' returned nan values in its 0th output.");
      CHECK(refusal([&] { (a.detach() / a).sum().backward(); }) ==
            "Error: Function 'DivBackward0' returned nan values in its 1th output.");
      CHECK(refusal([&] {
              const Tensor two = etude::full({2}, 2.0, kDouble);
              (x * two).backward(etude::full({2}, std::numeric_limits<double>::quiet_NaN(), kDouble));
            }) == "Error: Function 'MulBackward0' returned nan values in its 0th output.");
      a.exp().sum().backward();
    }
    x.sqrt().sum().backward();
    const DetectAnomalyGuard no_check(false);
    x.sqrt().sum().backward();
  }

  TEST_CASE("a nan in a second backward is found too") {
    const DetectAnomalyGuard on;
    const Tensor x = leaf({0.0});
    const Tensor g = autograd::grad({x.pow(1.5)}, {x}, {}, true, true)[0];
    CHECK(refusal([&] {
            autograd::grad({g}, {x}, {etude::zeros({1}, kDouble)});
          }).find("returned nan values in its 0th output.") != std::string::npos);
  }

  TEST_CASE("a write into what backward needs says that the op was named above") {
    const DetectAnomalyGuard on;
    const Tensor x = leaf({1.0, 2.0}), y = x.exp();
    y.mul_(2);
    CHECK(refusal([&] { y.sum().backward(); }) ==
          "Error: one of the variables needed for gradient computation has been modified by an inplace "
          "operation: [" +
              tensor_type("Double") + " [2]], which is output 0 of " + newer("Exp", "ExpBackward0") +
              ", is at version 1; expected version 0 instead. Hint: "
              "the "
              "backtrace further above shows the operation that failed to compute its gradient. The variable "
              "in "
              "question was changed in there or anywhere later. Good luck!");
  }
}
