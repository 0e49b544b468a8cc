// Values and gradients that are more accurate than LibTorch's, or that LibTorch lacks.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/function_of_one.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("values, beyond LibTorch") {
  namespace {

  // Whether op rounds once what formula gives in float64.
  bool rounds_once(const AnyFunction<Tensor(const Tensor&)>& op, double (*formula)(double), double from,
                   double to) {
    const Tensor x = (etude::linspace(from, to, 12, kDouble) + 0.01).view({3, 4}).t();
    for (const ScalarType type : {kDouble, kFloat}) {
      const Tensor input = x.to(type), found = op(input).contiguous();
      const Tensor expected = input.to(kDouble).contiguous().clone();
      double* const v = expected.data_ptr<double>();
      for (int64_t i = 0; i < expected.numel(); ++i) v[i] = formula(v[i]);
      if (!same(found, expected.to(type))) return false;
    }
    return true;
  }

  }  // namespace

  TEST_CASE("functions of one number are the C library's to the last bit, rounded once in float") {
    const std::vector<FunctionOfOne> functions = {
        {"abs", abs, [](double x) { return std::fabs(x); }, -3, 3},
        {"neg", neg, [](double x) { return -x; }, -2, 2},
        {"square", square, [](double x) { return x * x; }, -2, 2},
        {"relu", relu, [](double x) { return x < 0 ? 0 : x; }, -2, 2},
        {"floor", floor, [](double x) { return std::floor(x); }, -2, 2},
        {"ceil", ceil, [](double x) { return std::ceil(x); }, -2, 2},
        {"round", round, [](double x) { return std::nearbyint(x); }, -2, 2},
        {"trunc", trunc, [](double x) { return std::trunc(x); }, -2, 2},
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
        {"tanh", tanh, [](double x) { return std::tanh(x); }, -2, 2},
        {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, 3},
        {"erf", erf, [](double x) { return std::erf(x); }, -2, 2},
    };
    for (const FunctionOfOne& f : functions) {
      CAPTURE(f.name);
      CHECK(rounds_once(f.op, f.formula, f.from, f.to));
    }
  }

  TEST_CASE("activations are rounded once in float") {
    const auto check = [](const AnyFunction<Tensor(const Tensor&)>& op, double (*formula)(double)) {
      const Tensor x = etude::linspace(-3.3, 3.1, 12, kDouble).view({3, 4}).t().to(kFloat);
      const Tensor y = x.to(kDouble).contiguous().clone();
      double* const v = y.data_ptr<double>();
      for (int64_t i = 0; i < y.numel(); ++i) v[i] = formula(v[i]);
      CHECK(same(op(x), y.to(kFloat)));
    };
    check([](const Tensor& x) { return leaky_relu(x, 0.25); }, [](double v) { return v > 0 ? v : 0.25 * v; });
    check([](const Tensor& x) { return leaky_relu(x, -2); }, [](double v) { return v > 0 ? v : -2 * v; });
    check(silu, [](double v) { return v / (1 + std::exp(-v)); });
    check([](const Tensor& x) { return elu(x); }, [](double v) { return v > 0 ? v : std::expm1(v); });
    check([](const Tensor& x) { return elu(x, 0.5, 2, 4); },
          [](double v) { return v > 0 ? 2 * v : std::expm1(v * 4); });
    check([](const Tensor& x) { return softplus(x); }, [](double v) { return std::log1p(std::exp(v)); });
    check([](const Tensor& x) { return softplus(x, 2, 3); },
          [](double v) { return v * 2 > 3 ? v : std::log1p(std::exp(v * 2)) / 2; });
  }

  TEST_CASE("a list of dims in braces may begin with zero, which LibTorch takes for a pointer") {
    const Tensor x = sin(etude::arange(24, kDouble)).view({2, 3, 4});
    CHECK(allclose(x.sum({0, 2}), x.sum(2).sum(0)));
    CHECK(same(x.var({0, 2}, false, true), std::get<0>(var_mean(x, {0, 2}, false, true))));
    CHECK(same(x.mean({0, 2}, true), std::get<1>(var_mean(x, {0, 2}, false, true))));
    CHECK(refusal([] {
            etude::zeros({2, 3}).sum({0, 0});
          }) == "Error: dim 0 appears multiple times in the list of dims");
  }

  TEST_CASE("var_mean and std_mean give the mean of mean to the last bit") {
    const Tensor x = (sin(etude::arange(24, kDouble) * 1.7 + 0.3) * 2).view({4, 3, 2}).numpy_T();
    CHECK(
        same(std::get<1>(var_mean(x, IntArrayRef({0, 2}), false, true)), x.mean(IntArrayRef({0, 2}), true)));
    CHECK(same(std::get<1>(std_mean(x, 1)), x.mean(1)));
  }

  TEST_CASE("diagonals may be as far away as numbers go") {
    const Tensor x = etude::tensor({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}});
    CHECK(same(tril(x, INT64_MAX), x));
    CHECK(same(triu(x, -INT64_MAX), x));
    CHECK(same(triu(x, INT64_MAX), etude::zeros_like(x)));
    CHECK(same(tril(x, -INT64_MAX), etude::zeros_like(x)));
    CHECK(same(tril(x, INT64_MIN), etude::zeros_like(x)));
  }

  TEST_CASE("gradients that LibTorch gets wrong or does not have agree with finite differences") {
    const Tensor x = etude::linspace(-3.3, 3.1, 12, kDouble).view({3, 4}).t();
    const Tensor a = etude::tensor({{0.5, 1., -2.}, {3., -1.5, 2.5}}, kDouble), s = a * 0.7 + 0.1,
                 v = etude::tensor(0.3, kDouble), twice = etude::tensor({{2, 2}, {1, 0}});
    const std::vector<std::pair<TensorFunction, std::vector<Tensor>>> functions = {
        // one in place after the other, with a slope below zero
        {[](const auto& in) {
           Tensor y = in[0] * 2;
           leaky_relu_(y, -0.3);
           silu_(y);
           return elu_(y, 0.7);
         },
         {x}},
        // zero, where a comparison result overwrites a tensor that had a gradient
        {[](const auto& in) {
           const Tensor y = in[0] * 4;
           y.logical_not_();
           return in[0] * in[0] + y;
         },
         {a}},
        // a target that is broadcast
        {[](const auto& in) { return smooth_l1_loss(in[0], in[1].select(0, 1), Reduction::Mean, 0.9); },
         {a, s}},
        {[](const auto& in) { return smooth_l1_loss(in[0], in[1].select(0, 1), Reduction::Sum, 0.9); },
         {a, s}},
        {[](const auto& in) { return smooth_l1_loss(in[0], in[1].select(0, 1), Reduction::None, 0.9); },
         {a, s}},
        // a source that is larger than the index
        {[&](const auto& in) { return in[0].scatter_add(1, twice, in[1]).pow(2); }, {a, s}},
        {[&](const auto& in) {
           Tensor y = in[0] * 2;
           y.scatter_add_(1, twice, in[1]);
           return y * y;
         },
         {a, s}},
        // a row of a number
        {[](const auto& in) {
           return in[1].index_add(0, etude::tensor({0}), in[0].select(0, 0).select(0, 1)).pow(2);
         },
         {a, v}},
    };
    for (size_t i = 0; i < functions.size(); ++i) {
      CAPTURE(i);
      CHECK(gradcheck(functions[i].first, functions[i].second));
      CHECK(gradgradcheck(functions[i].first, functions[i].second));
    }
  }

  TEST_CASE("gradients of floats of 16 bits are added up and divided in 32") {
    const int64_t n = 4096;  // more terms than a sum of ones in 16 bits can count
    const Tensor ids = etude::zeros({n}, kLong), row = etude::tensor({{1.0, 0.0}});
    const std::vector<TensorFunction> functions = {
        [&](const auto& in) { return in[0][0].index({ids}); },
        [&](const auto& in) { return take(in[0], ids); },
        [](const auto& in) {
          return replication_pad1d(in[0], {n - 1, 0});
        },
        [](const auto& in) {
          return std::get<0>(cat({in[0], etude::zeros({1, n - 2}, in[0].options())}, 1).cummax(1));
        },
    };
    for (const ScalarType type : {kHalf, kBFloat16}) {
      for (size_t i = 0; i < functions.size(); ++i) {
        CAPTURE(i);
        const Tensor leaf = row.to(type).requires_grad_();
        functions[i]({leaf}).sum().backward();
        CHECK(leaf.grad()[0][0].template item<double>() == n);
      }
      const Tensor leaf = etude::zeros({70000}, type).requires_grad_();
      leaf.mean().backward();
      CHECK(same(leaf.grad(), etude::full({70000}, 1.0 / 70000, type)));
    }
  }
}
