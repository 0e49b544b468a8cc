#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("straight lines with gaps") {
  namespace {

  const double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::nan("");

  // Checks values and slopes at points beyond a bound, at a bound, and between bounds. The last point is nan,
  // for which LibTorch's own kernels disagree about the slope.
  void check(const AnyFunction<Tensor(const Tensor&)>& op, const Tensor& x, const Tensor& values,
             const Tensor& slopes) {
    for (const ScalarType type : {kFloat, kDouble}) {
      const Tensor leaf = x.to(type).clone().requires_grad_(), y = op(leaf);
      CHECK(same(y, values.to(type)));
      CHECK(same(autograd::grad({y.sum()}, {leaf})[0].slice(0, 0, -1), slopes.to(type)));
      const Tensor wide = etude::zeros({x.numel(), 2}, type);
      wide.select(1, 0).copy_(x);
      CHECK(same(op(wide.select(1, 0)), values.to(type)));
    }
  }

  const Tensor points = etude::tensor({-kInfinity, -2.0, -0.5, 0.0, 0.5, 2.0, kInfinity, kNan});

  const std::vector<TensorFunction> functions = {
      [](const auto& in) { return threshold(in[0], 0.5, 3); },
      [](const auto& in) { return hardtanh(in[0], -0.6, 1.1); },
      [](const auto& in) { return relu6(in[0] * 4); },
      [](const auto& in) { return hardshrink(in[0], 0.7); },
      [](const auto& in) { return softshrink(in[0], 0.7); },
      [](const auto& in) {
        Tensor y = in[0] * 3;
        threshold_(y, -2, 1);
        hardtanh_(y, -1.5, 5);
        return relu6_(y);
      },
  };

  }  // namespace

  TEST_CASE("threshold puts a value where x is not above the threshold") {
    check([](const Tensor& x) { return threshold(x, 0.5, 7); }, points,
          etude::tensor({7.0, 7.0, 7.0, 7.0, 7.0, 2.0, kInfinity, kNan}),
          etude::tensor({0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0}));
  }

  TEST_CASE("hardtanh stops at both bounds, relu6 at 0 and 6") {
    check([](const Tensor& x) { return hardtanh(x, -0.5, 2); }, points,
          etude::tensor({-0.5, -0.5, -0.5, 0.0, 0.5, 2.0, 2.0, kNan}),
          etude::tensor({0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0}));
    check([](const Tensor& x) { return hardtanh(x); }, points,
          etude::tensor({-1.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.0, kNan}),
          etude::tensor({0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0}));
    check(relu6, points * 4, etude::tensor({0.0, 0.0, 0.0, 0.0, 2.0, 6.0, 6.0, kNan}),
          etude::tensor({0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0}));
    CHECK(same(hardtanh(etude::tensor({-3.0, 0.0, 3.0}), 1, -1), etude::tensor({-1.0, -1.0, -1.0})));
  }

  TEST_CASE("hardshrink cuts out what is near zero, softshrink also moves the rest there") {
    check([](const Tensor& x) { return hardshrink(x); }, points,
          etude::tensor({-kInfinity, -2.0, 0.0, 0.0, 0.0, 2.0, kInfinity, kNan}),
          etude::tensor({1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0}));
    check([](const Tensor& x) { return softshrink(x); }, points.slice(0, 0, -1),
          etude::tensor({-kInfinity, -1.5, 0.0, 0.0, 0.0, 1.5, kInfinity}),
          etude::tensor({1.0, 1.0, 0.0, 0.0, 0.0, 1.0}));
    CHECK(same(points.hardshrink(2), hardshrink(points, 2)));
    CHECK(same(hardshrink(etude::tensor({0.5, 0.0}), -1), etude::tensor({0.5, 0.0})));
  }

  TEST_CASE("softshrink keeps nan, and its bound is finite") {
    CHECK(same(softshrink(etude::tensor({kNan, 1.0})), etude::tensor({kNan, 0.5})));
    for (const double bound : {kInfinity, kNan, 1e39})
      CHECK(refusal([bound] {
              softshrink(etude::ones({2}), bound);
            }).find("Error: lambda must be in range [0, 3.40282e+38] for input dtype Float, but found ") ==
            0);
  }

  TEST_CASE("have the gradient and second gradient of finite differences, in place too") {
    check_gradients(functions, {etude::linspace(-1.9, 1.8, 12, kDouble).view({3, 4}).t()});
  }

  TEST_CASE("a slope that does not change is still a function of the input") {
    for (const TensorFunction& f : functions) {
      const Tensor x = etude::tensor({-0.3, 0.2, 1.9}, kDouble).requires_grad_();
      const Tensor slope = autograd::grad({f({x}).sum()}, {x}, {}, nullopt, /*create_graph=*/true)[0];
      CHECK(slope.requires_grad());
      CHECK(same(autograd::grad({slope.sum()}, {x})[0], etude::zeros({3}, kDouble)));
    }
  }

  TEST_CASE("integers are taken where PyTorch takes them, with bounds made integers") {
    const Tensor x = etude::tensor({-2, 0, 3}), bytes = etude::tensor({1, 9}).to(kByte);
    CHECK(same(threshold(x, 1, 20), etude::tensor({20, 20, 3})));
    CHECK(same(threshold(x, 1.5, 20.5), etude::tensor({20, 20, 3})));
    CHECK(same(threshold(x.to(kInt), 1, 20), etude::tensor({20, 20, 3}).to(kInt)));
    CHECK(same(hardtanh(x), etude::tensor({-1, 0, 1})));
    CHECK(same(hardtanh(x, -0.5, 0.5), etude::tensor({0, 0, 0})));
    CHECK(same(relu6(bytes), etude::tensor({1, 6}).to(kByte)));
  }

  TEST_CASE("take empty and 0-dim tensors") {
    for (const auto& op : std::vector<AnyFunction<Tensor(const Tensor&)>>{
             [](const Tensor& x) { return threshold(x, 0, 0); }, [](const Tensor& x) { return hardtanh(x); },
             relu6, [](const Tensor& x) { return hardshrink(x); },
             [](const Tensor& x) { return softshrink(x); }}) {
      CHECK(op(etude::zeros({0, 3})).sizes() == IntArrayRef({0, 3}));
      CHECK(op(etude::zeros({})).sizes() == IntArrayRef());
    }
  }

  TEST_CASE("have nodes of PyTorch's names") {
    const Tensor x = etude::ones({2}).requires_grad_();
    CHECK(node_name(threshold(x, 0, 0)) == "ThresholdBackward0");
    CHECK(node_name(hardtanh(x)) == "HardtanhBackward0");
    CHECK(node_name(relu6(x)) == "HardtanhBackward0");
    CHECK(node_name(hardshrink(x)) == "HardshrinkBackward0");
    CHECK(node_name(softshrink(x)) == "SoftshrinkBackward0");
    Tensor a = x * 1, b = x * 1;
    CHECK(node_name(threshold_(a, 0, 0)) == "ThresholdBackward1");
    CHECK(node_name(hardtanh_(b)) == "HardtanhBackward0");
  }

  TEST_CASE("write into their tensor in place") {
    Tensor x = etude::tensor({-3.0, 3.0, 9.0});
    CHECK(threshold_(x, -2, -2).is_same(x));
    CHECK(same(x, etude::tensor({-2.0, 3.0, 9.0})));
    CHECK(hardtanh_(x, -1, 8).is_same(x));
    CHECK(same(relu6_(x), etude::tensor({0.0, 3.0, 6.0})));
  }

  TEST_CASE("refuse what PyTorch refuses") {
    const Tensor flags = etude::tensor({true, false}), bytes = etude::tensor({1, 9}).to(kByte);
    CHECK(refusal([&] { threshold(flags, 0, 0); }) == "Error: \"threshold_cpu\" not implemented for 'Bool'");
    CHECK(refusal([&] { hardtanh(flags); }) == "Error: Bool inputs not supported for hardtanh");
    CHECK(refusal([&] { hardtanh(bytes); }) ==
          "Error: cannot do hardtanh on an unsigned type with negative limits");
    CHECK(refusal([] { hardshrink(etude::arange(2)); }) ==
          "Error: \"hardshrink_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { softshrink(etude::arange(2)); }) ==
          newer("Error: \"softshrink_check\" not implemented for 'Long'",
                "Error: \"softshrink_cpu\" not implemented for 'Long'"));
    CHECK(refusal([] { softshrink(etude::ones({2}), -1); }) ==
          newer("Error: lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1",
                "Error: lambda must be greater or equal to 0, but found to be -1."));
  }

  TEST_CASE("bounds of integers are cut off first") {
    CHECK(equal(hardtanh(etude::tensor({1, 2}, kByte), -0.75, 0.75), etude::zeros({2}, kByte)));
    CHECK(equal(hardtanh(etude::tensor({1, 2}), -0.75, 1.5), etude::ones({2}, kLong)));
  }
}
