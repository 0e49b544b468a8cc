// The warnings of anomaly mode. They do not say where an op was recorded, since no traceback is kept.
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>
#include <string>

#include "etude/autograd/anomaly_mode.h"
#include "etude/autograd/autograd.h"
#include "etude/ops/ops.h"
#include "support/any_function.h"
#include "support/leaf.h"
#include "support/refusal.h"

using namespace etude;
using autograd::DetectAnomalyGuard;

TEST_SUITE("anomaly mode, beyond LibTorch") {
  namespace {

  // Returns the warnings of an f that throws; `text` receives its error.
  std::string warned(const AnyFunction<void()>& f, std::string& text) {
    std::ostringstream caught;
    std::streambuf* const before = std::cerr.rdbuf(caught.rdbuf());
    text = refusal(f);
    std::cerr.rdbuf(before);
    return caught.str();
  }

  }  // namespace

  TEST_CASE("a warning names the op whose backward fails") {
    const DetectAnomalyGuard on;
    std::string text;
    CHECK(warned(
              [] {
                leaf({-1.0, 2.0}).sqrt().sum().backward();
              },
              text) == "Warning: Error detected in SqrtBackward0.\n");
    CHECK(text == "Error: Function 'SqrtBackward0' returned nan values in its 0th output.");
    const Tensor y = leaf({1.0, 2.0}).exp();
    y.mul_(2);
    CHECK(warned([&] { y.sum().backward(); }, text) == "Warning: Error detected in ExpBackward0.\n");
  }

  TEST_CASE("a warning about a second backward names the op that it comes from") {
    const DetectAnomalyGuard on;
    std::string text;
    const Tensor x = leaf({0.0});
    const Tensor g = autograd::grad({x.pow(1.5)}, {x}, {}, true, true)[0];
    const std::string warnings =
        warned([&] { autograd::grad({g}, {x}, {etude::zeros({1}, kDouble)}); }, text);
    CHECK(text.find("returned nan values in its 0th output.") != std::string::npos);
    CHECK(warnings.find("Previous calculation was induced by PowBackward0.") != std::string::npos);
  }
}
