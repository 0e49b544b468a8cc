// The errors of a build without oneDNN. The source is compiled here under another name, since the library under
// test may have oneDNN.
#include <doctest/doctest.h>

#include <string>

#define onednn onednn_that_is_absent
#include "etude/onednn/disabled.cpp"
#undef onednn

namespace absent = etude::onednn_that_is_absent;

TEST_SUITE("oneDNN, absent") {
  TEST_CASE("says that it is absent") {
    CHECK_FALSE(absent::available());
    CHECK(std::string(absent::version()) == "none");
  }

  TEST_CASE("leaves all work to the plain kernels and writes nothing") {
    const float x[4] = {1, 2, 3, 4};
    float y[4] = {5, 6, 7, 8};
    const absent::Matrix<float> m{x, false, 2};
    CHECK_FALSE(absent::gemm(2, 2, 2, 1, m, m, 0, y, 2));
    const etude::BFloat16 z[4] = {1, 2, 3, 4};
    const absent::Matrix<etude::BFloat16> n{z, false, 2};
    CHECK_FALSE(absent::multiplies_bfloat16());
    CHECK_FALSE(absent::gemm(2, 2, 2, n, n, nullptr, nullptr, 2));
    for (int i = 0; i < 4; ++i) CHECK(y[i] == static_cast<float>(5 + i));
  }
}
