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
      {"asin", asin, [](double x) { return std::asin(x); }, -0.9, 0.8},
      {"acos", acos, [](double x) { return std::acos(x); }, -0.9, 0.8},
      {"atan", atan, [](double x) { return std::atan(x); }, -3, 2},
      {"sinh", sinh, [](double x) { return std::sinh(x); }, -2, 3},
      {"cosh", cosh, [](double x) { return std::cosh(x); }, -2, 3},
      {"asinh", asinh, [](double x) { return std::asinh(x); }, -3, 2},
      {"acosh", acosh, [](double x) { return std::acosh(x); }, 1.2, 4},
      {"atanh", atanh, [](double x) { return std::atanh(x); }, -0.9, 0.8},
      {"frac", frac, [](double x) { return x - std::trunc(x); }, -2.75, 2.5},
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
