// Gradients of the functions of one number, of remainders and of bounds, and their values against the C
// library.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "etude/framework.h"
#include "support/gradcheck.h"

using namespace etude;

namespace {

struct Function {
  const char* name;
  Tensor (*op)(const Tensor&);
  double (*formula)(double);
  double from, to;  // where it is smooth
};

const std::vector<Function> functions = {
    {"abs", abs, [](double x) { return std::fabs(x); }, 0.2, 3},
    {"neg", neg, [](double x) { return -x; }, -2, 2},
    {"exp", exp, [](double x) { return std::exp(x); }, -2, 2},
    {"expm1", expm1, [](double x) { return std::expm1(x); }, -2, 2},
    {"log", log, [](double x) { return std::log(x); }, 0.3, 4},
    {"log1p", log1p, [](double x) { return std::log1p(x); }, -0.5, 4},
    {"log2", log2, [](double x) { return std::log2(x); }, 0.3, 4},
    {"sqrt", sqrt, [](double x) { return std::sqrt(x); }, 0.3, 4},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.3, 4},
    {"reciprocal", reciprocal, [](double x) { return 1 / x; }, 0.3, 4},
    {"square", square, [](double x) { return x * x; }, -2, 2},
    {"sin", sin, [](double x) { return std::sin(x); }, -4, 4},
    {"cos", cos, [](double x) { return std::cos(x); }, -4, 4},
    {"tan", tan, [](double x) { return std::tan(x); }, -1, 1},
    {"tanh", tanh, [](double x) { return std::tanh(x); }, -2, 2},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, 3},
    {"erf", erf, [](double x) { return std::erf(x); }, -2, 2},
    {"relu", relu, [](double x) { return x < 0 ? 0 : x; }, 0.1, 2},
    {"floor", floor, [](double x) { return std::floor(x); }, 0.1, 0.9},
    {"ceil", ceil, [](double x) { return std::ceil(x); }, 0.1, 0.9},
    {"round", round, [](double x) { return std::nearbyint(x); }, 0.6, 1.4},
    {"trunc", trunc, [](double x) { return std::trunc(x); }, -0.9, -0.1},
};

// Six values between the ends, uneven, as a transposed view.
Tensor samples(double from, double to) {
  return (etude::linspace(from, to, 6, kDouble) + 0.01).view({3, 2}).t();
}

}  // namespace

TEST_SUITE("functions of one number") {
  TEST_CASE("are the C library's, on views, in double and in float") {
    for (const Function& f : functions) {
      CAPTURE(f.name);
      const Tensor x = samples(f.from, f.to), y = f.op(x), single = f.op(x.to(kFloat));
      const Tensor from_single = x.to(kFloat).to(kDouble);
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t j = 0; j < 3; ++j) {
          CHECK(y[i][j].item<double>() == doctest::Approx(f.formula(x[i][j].item<double>())).epsilon(1e-15));
          CHECK(single[i][j].item<double>() ==
                doctest::Approx(f.formula(from_single[i][j].item<double>())).epsilon(3e-7));
        }
    }
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    for (const Function& f : functions) {
      CAPTURE(f.name);
      const auto op = [&f](const std::vector<Tensor>& in) { return f.op(in[0]); };
      CHECK(gradcheck(op, {samples(f.from, f.to)}));
      CHECK(gradgradcheck(op, {samples(f.from, f.to)}));
    }
  }

  TEST_CASE("take empty and 0-dim tensors, and integers become floats where the result is one") {
    for (const Function& f : functions) {
      CAPTURE(f.name);
      CHECK(f.op(etude::empty({0, 3})).sizes() == IntArrayRef({0, 3}));
      CHECK(f.op(etude::full({}, f.from, kDouble)).item<double>() == f.formula(f.from));
    }
    CHECK(exp(etude::arange(3)).dtype() == kFloat);
    CHECK(floor(etude::arange(3)).dtype() == kLong);
  }
}

TEST_SUITE("remainders and bounds") {
  const Tensor a = etude::tensor({5.5, -5.5, 2.2, -0.7}, kDouble),
               b = etude::tensor({2.0, 2.0, -1.5, 3.0}, kDouble);

  TEST_CASE("remainder has the sign of the divisor, fmod that of the dividend") {
    CHECK(allclose(remainder(a, b), etude::tensor({1.5, 0.5, -0.8, 2.3}, kDouble)));
    CHECK(allclose(fmod(a, b), etude::tensor({1.5, -1.5, 0.7, -0.7}, kDouble)));
    CHECK(equal(remainder(etude::tensor({7, -7, 7, -7}), etude::tensor({3, 3, -3, -3})),
                etude::tensor({1, 2, -2, -1})));
    CHECK(equal(fmod(etude::tensor({7, -7, 7, -7}), etude::tensor({3, 3, -3, -3})),
                etude::tensor({1, -1, 1, -1})));
  }

  TEST_CASE("the gradients of remainders, rounded quotients and bounds are those of finite differences") {
    const std::vector<TensorFunction> of_two = {
        [](const auto& in) { return remainder(in[0], in[1]); },
        [](const auto& in) { return fmod(in[0], in[1]); },
        [](const auto& in) { return div(in[0], in[1], "floor"); },
        [](const auto& in) { return div(in[0], in[1], "trunc"); },
        [](const auto& in) { return rsub(in[0], in[1], 0.5); },
        [](const auto& in) { return maximum(in[0], in[1]); },
        [](const auto& in) { return minimum(in[0], in[1]); },
    };
    for (const TensorFunction& f : of_two) {
      CHECK(gradcheck(f, {a, b}));
      CHECK(gradgradcheck(f, {a, b}));
    }
    const std::vector<TensorFunction> of_one = {
        [](const auto& in) { return remainder(in[0], 2); },
        [](const auto& in) { return fmod(in[0], 2); },
        [](const auto& in) { return clamp_min(in[0], 0.5); },
        [](const auto& in) { return clamp_max(in[0], 0.5); },
        [](const auto& in) { return clamp(in[0], -1, 2.5); },
        [](const auto& in) { return in[0].to(kFloat).to(kDouble) * 0 + in[0]; },
        [](const auto& in) {
          return in[0].view({2, 2}).amax(1);
        },
        [](const auto& in) {
          return in[0].view({2, 2}).amin(0, true);
        },
    };
    for (const TensorFunction& f : of_one) {
      CHECK(gradcheck(f, {a}));
      CHECK(gradgradcheck(f, {a}));
    }
  }
}
