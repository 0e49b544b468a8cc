// Functions of one number with a slope: values against the C library, and gradients.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "etude/framework.h"
#include "support/function_of_one.h"

using namespace etude;

TEST_SUITE("functions of one number") {
  namespace {

  const std::vector<FunctionOfOne> functions = {
      {"exp", exp, [](double x) { return std::exp(x); }, -2, 2},
      {"expm1", expm1, [](double x) { return std::expm1(x); }, -2, 2},
      {"log", log, [](double x) { return std::log(x); }, 0.3, 4},
      {"log1p", log1p, [](double x) { return std::log1p(x); }, -0.5, 4},
      {"log2", log2, [](double x) { return std::log2(x); }, 0.3, 4},
      {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, 0.3, 4},
      {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.3, 4},
      {"reciprocal", reciprocal, [](double x) { return 1 / x; }, 0.3, 4},
      {"sin", sin, [](double x) { return std::sin(x); }, -4, 4},
      {"cos", cos, [](double x) { return std::cos(x); }, -4, 4},
      {"tan", tan, [](double x) { return std::tan(x); }, -1, 1},
      {"erf", erf, [](double x) { return std::erf(x); }, -2, 2},
  };

  }  // namespace

  TEST_CASE("are the C library's, on views, in double and in float") {
    for (const FunctionOfOne& f : functions) check_values(f);
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    for (const FunctionOfOne& f : functions) check_gradient(f);
  }

  TEST_CASE("take empty and 0-dim tensors, and integers become floats") {
    for (const FunctionOfOne& f : functions) check_edges(f);
    CHECK(exp(etude::arange(3)).dtype() == kFloat);
  }
}
