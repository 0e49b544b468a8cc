// Near 1, where PyTorch's own result has few correct digits.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"

using namespace etude;

TEST_SUITE("erfinv beyond LibTorch") {
  TEST_CASE("has all digits next to 1") {
    const double x = std::nextafter(1.0, 0.0);  // 1 - 2^-53; its value from mpmath with 40 digits
    CHECK(erfinv(etude::tensor({x}, kDouble)).item<double>() ==
          doctest::Approx(5.8635847487551679272).epsilon(1e-15));
  }
}
