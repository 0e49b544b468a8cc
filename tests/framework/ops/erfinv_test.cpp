// The inverse of erf.
#include <doctest/doctest.h>

#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"
#include "support/uneven.h"

using namespace etude;

TEST_SUITE("erfinv") {
  namespace {

  const double kInf = std::numeric_limits<double>::infinity(),
               kNan = std::numeric_limits<double>::quiet_NaN();

  }  // namespace

  TEST_CASE("erf of it is the number") {
    const Tensor x = etude::linspace(-0.999, 0.999, 201, kDouble);
    CHECK(golden_distance(erf(erfinv(x)), x) < 1e-12);
    CHECK(golden_distance(erfinv(x.to(kFloat)), erfinv(x).to(kFloat)) < 3e-6);
    // From tables: DLMF 7.17.
    const Tensor known =
        etude::tensor({0.4769362762044699, -0.4769362762044699, 1.1630871536766743}, kDouble);
    CHECK(golden_distance(erfinv(etude::tensor({0.5, -0.5, 0.9}, kDouble)), known) < 1e-13);
    CHECK(golden_distance(x.erfinv(), erfinv(x)) == 0);
    CHECK(golden_distance(x.clone().erfinv_(), erfinv(x)) == 0);
    CHECK(golden_distance(x.view({3, 67}).t().erfinv(), erfinv(x).view({3, 67}).t()) == 0);
  }

  TEST_CASE("ends, what lies outside, tiny numbers and integers") {
    CHECK(same(erfinv(etude::tensor({1., -1., 2., kNan, 0.}, kDouble)),
               etude::tensor({kInf, -kInf, kNan, kNan, 0.}, kDouble)));
    CHECK(erfinv(etude::tensor({1e-30}, kDouble)).item<double>() ==
          doctest::Approx(0.8862269254527580e-30).epsilon(1e-9));
    CHECK(same(erfinv(etude::tensor({0, 1}, kLong)),
               etude::tensor({0.f, std::numeric_limits<float>::infinity()})));
    CHECK(erfinv(etude::zeros({0, 2})).sizes() == IntArrayRef({0, 2}));
    CHECK(erfinv(etude::tensor(0.5f).to(kBFloat16)).item<float>() == 0.4765625f);
    CHECK(refusal([] { etude::zeros({1}, kLong).erfinv_(); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
  }

  TEST_CASE("the gradient of erfinv is that of finite differences") {
    const Tensor x = (uneven({2, 3}) * 0.3).requires_grad_();
    CHECK(node_name(erfinv(x)) == "ErfinvBackward0");
    check_gradients({[](const auto& in) {
                       return erfinv(in[0]) * uneven({2, 3});
                     },
                     [](const auto& in) { return (in[0] * 1).erfinv_().pow(2); }},
                    {x});
  }
}
