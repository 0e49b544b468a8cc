// Functions of one number that are straight lines or steps.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "etude/framework.h"
#include "support/function_of_one.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("lines and steps") {
  namespace {

  const std::vector<FunctionOfOne> functions = {
      {"abs", abs, [](double x) { return std::fabs(x); }, 0.2, 3},
      {"neg", neg, [](double x) { return -x; }, -2, 2},
      {"sign", sign, [](double x) { return x > 0   ? 1.0
                                           : x < 0 ? -1.0
                                                   : 0.0; }, 0.2, 3},
      {"floor", floor, [](double x) { return std::floor(x); }, 0.1, 0.9},
      {"ceil", ceil, [](double x) { return std::ceil(x); }, 0.1, 0.9},
      {"round", round, [](double x) { return std::nearbyint(x); }, 0.6, 1.4},
      {"trunc", trunc, [](double x) { return std::trunc(x); }, -0.9, -0.1},
  };

  }  // namespace

  TEST_CASE("are the C library's, on views, in double and in float") {
    for (const FunctionOfOne& f : functions) check_values(f);
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    for (const FunctionOfOne& f : functions) check_gradient(f);
  }

  TEST_CASE("take empty and 0-dim tensors, and integers keep their type") {
    for (const FunctionOfOne& f : functions) check_edges(f);
    CHECK(floor(etude::arange(3)).dtype() == kLong);
    CHECK(same(abs(etude::tensor({-3, 0, 4})), etude::tensor({3, 0, 4})));
    CHECK(same(sign(etude::tensor({-3, 0, 4}, kInt)), etude::tensor({-1, 0, 1}, kInt)));
  }

  TEST_CASE("a half is rounded to the even number beside it") {
    CHECK(same(round(etude::tensor({-2.5, -1.5, -0.5, 0.5, 1.5, 2.5})),
               etude::tensor({-2., -2., -0., 0., 2., 2.})));
  }

  TEST_CASE("the gradient of a step is zero, and abs has none at zero") {
    const Tensor x = etude::tensor({-1.5, 0., 2.}).requires_grad_();
    for (const auto step : {sign, floor, ceil, round, trunc})
      CHECK(same(autograd::grad({step(x).sum()}, {x})[0], etude::zeros({3})));
    CHECK(same(autograd::grad({abs(x).sum()}, {x})[0], etude::tensor({-1., 0., 1.})));
  }
}
