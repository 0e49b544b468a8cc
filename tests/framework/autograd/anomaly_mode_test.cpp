#include "etude/autograd/anomaly_mode.h"

#include <doctest/doctest.h>

#include <iostream>
#include <limits>
#include <sstream>

#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
using autograd::AnomalyMode;
using autograd::DetectAnomalyGuard;

namespace {

Tensor leaf(const detail::TensorLiteral& values) {
  return tensor(values, TensorOptions(kDouble).requires_grad(true));
}

// The warnings that a refused f writes, and its refusal.
std::string warned(const std::function<void()>& f, std::string& text) {
  std::ostringstream caught;
  std::streambuf* const before = std::cerr.rdbuf(caught.rdbuf());
  text = refusal(f);
  std::cerr.rdbuf(before);
  return caught.str();
}

}  // namespace

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
    std::string text;
    const Tensor x = leaf({-1.0, 2.0}), a = leaf({1.0, 0.0});
    {
      const DetectAnomalyGuard on;
      CHECK(warned([&] { x.sqrt().sum().backward(); }, text) ==
            "Warning: Error detected in SqrtBackward0.\n");
      CHECK(text == "Error: Function 'SqrtBackward0' returned nan values in its 0th output.");
      warned([&] { (a.detach() / a).sum().backward(); }, text);
      CHECK(text == "Error: Function 'DivBackward0' returned nan values in its 1th output.");
      warned([&] { (x * 2).backward(full({2}, std::numeric_limits<double>::quiet_NaN(), kDouble)); }, text);
      CHECK(text == "Error: Function 'MulBackward0' returned nan values in its 0th output.");
      a.exp().sum().backward();
    }
    x.sqrt().sum().backward();
    const DetectAnomalyGuard no_check(false);
    x.sqrt().sum().backward();
  }

  TEST_CASE("a second backward names the op that it comes from") {
    const DetectAnomalyGuard on;
    std::string text;
    const Tensor x = leaf({0.0});
    const Tensor g = autograd::grad({x.pow(1.5)}, {x}, {}, true, true)[0];
    const std::string warnings = warned([&] { autograd::grad({g}, {x}, {zeros({1}, kDouble)}); }, text);
    CHECK(text.find("returned nan values in its 0th output.") != std::string::npos);
    CHECK(warnings.find("Previous calculation was induced by PowBackward0.") != std::string::npos);
  }

  TEST_CASE("a write into what backward needs names the op that fails") {
    const DetectAnomalyGuard on;
    std::string text;
    const Tensor x = leaf({1.0, 2.0}), y = x.exp();
    y.mul_(2);
    CHECK(warned([&] { y.sum().backward(); }, text) == "Warning: Error detected in ExpBackward0.\n");
    CHECK(text ==
          "Error: one of the variables needed for gradient computation has been modified by an inplace "
          "operation: "
          "[torch.DoubleTensor [2]], which is output 0 of ExpBackward0, is at version 1; expected version 0 "
          "instead. "
          "Hint: the backtrace further above shows the operation that failed to compute its gradient. The "
          "variable "
          "in question was changed in there or anywhere later. Good luck!");
  }
}
