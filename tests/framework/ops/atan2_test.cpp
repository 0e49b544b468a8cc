// The angle of points. Values and errors recorded from PyTorch are in functions_golden_test.cpp.
#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("atan2") {
  TEST_CASE("atan2 is the C library's, with broadcasting, on views and in float") {
    const Tensor a = etude::tensor({0.5, -1.5, 2.0}, kDouble).view({3, 1}), b = etude::tensor({-1.0, 0.25});
    const Tensor y = atan2(a.expand({3, 2}), b), single = atan2(a.to(kFloat), b).t(), other = arctan2(b, a);
    CHECK(y.dtype() == kDouble);
    CHECK(single.dtype() == kFloat);
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 2; ++j) {
        const double u = a[i][0].item<double>(), v = b[j].item<double>();
        CHECK(y[i][j].item<double>() == doctest::Approx(std::atan2(u, v)).epsilon(1e-15));
        CHECK(single[j][i].item<double>() == doctest::Approx(std::atan2(u, v)).epsilon(1e-7));
        CHECK(other[i][j].item<double>() == doctest::Approx(std::atan2(v, u)).epsilon(1e-15));
      }
    CHECK(atan2(etude::empty({0, 2}), b).sizes() == IntArrayRef({0, 2}));
    CHECK(atan2(etude::tensor(3), etude::tensor(-4)).item<float>() ==
          doctest::Approx(std::atan2(3.0, -4.0)).epsilon(1e-6));
  }

  TEST_CASE("atan2_ writes in place, also over an operand that it reads") {
    const Tensor x = etude::tensor({1.0, 2.0, -3.0}, kDouble), expected = atan2(x, x.flip(0)), y = x.clone(),
                 whole = etude::cat({x, x.flip(0)});
    CHECK(equal(y.atan2_(y.flip(0)), expected));
    CHECK(equal(whole.slice(0, 0, 3).arctan2_(whole.slice(0, 3, 6)), expected));
    CHECK(equal(whole.slice(0, 0, 3), expected));
    CHECK(refusal_text([&] {
            etude::ones({2}).atan2_(etude::ones({3, 2}));
          }) == "output with shape [2] doesn't match the broadcast shape [3, 2]");
  }

  TEST_CASE("gradients and second gradients agree with finite differences") {
    const Tensor a = etude::tensor({0.5, -1.5, 2.0}, kDouble).view({3, 1}),
                 b = etude::tensor({-1.0, 0.75, 0.3, -2.0}, kDouble).view({2, 2}).t();
    check_gradients({[](const auto& in) { return atan2(in[0], in[1][0]); },
                     [](const auto& in) { return (in[0] * 2).atan2_(in[1][1][0]); }},
                    {a, b});
    const Tensor x = a.clone().set_requires_grad(true), y = b[0].clone().set_requires_grad(true);
    CHECK(gradcheck([&](const auto& in) { return atan2(in[0], b[0]); }, {a}));
    CHECK(gradcheck([&](const auto& in) { return atan2(a, in[0]); }, {y.detach()}));
    CHECK(node_name(atan2(x, y)) == "Atan2Backward0");
  }
}
