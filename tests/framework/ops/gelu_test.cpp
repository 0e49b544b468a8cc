#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/node_name.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("gelu") {
  namespace {

  const std::vector<std::string> kForms = {"none", "tanh"};

  double formula(double x, const std::string& form) {
    if (form == "none") return x * std::erfc(-x / std::sqrt(2.0)) / 2;
    return x / (1 + std::exp(-2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
  }

  // The formula's slope by differences of 1e-5, correct to about ten digits.
  double slope(double x, const std::string& form) {
    return (formula(x + 1e-5, form) - formula(x - 1e-5, form)) / 2e-5;
  }

  template <typename F>
  Tensor each(const Tensor& x, F f) {
    const Tensor y = x.to(kDouble).contiguous().clone();
    double* v = y.data_ptr<double>();
    for (int64_t i = 0; i < y.numel(); ++i) v[i] = f(v[i]);
    return y;
  }

  // The gradient of x for the gradient dy of its gelu.
  Tensor gradient(const Tensor& x, const std::string& form, const Tensor& dy) {
    const Tensor leaf = x.detach().requires_grad_();
    return autograd::grad({gelu(leaf, form)}, {leaf}, {dy})[0];
  }

  }  // namespace

  TEST_CASE("follows its formula, on views, in double and in float") {
    const Tensor x = etude::linspace(-6, 6, 60, kDouble).view({6, 10}).t();
    for (const std::string& form : kForms) {
      CAPTURE(form);
      const auto f = [&](double v) { return formula(v, form); };
      CHECK(allclose(gelu(x, form), each(x, f), 1e-12, 1e-14));
      CHECK(allclose(gelu(x.to(kFloat), form).to(kDouble), each(x.to(kFloat), f), 1e-6, 5e-7));
      CHECK(node_name(gelu(x.detach().requires_grad_(), form)) == "GeluBackward0");
    }
    CHECK(same(gelu(x), gelu(x, "none")));
  }

  TEST_CASE("of float32 follows its formula and slope, on views and for expanded gradients") {
    const Tensor x = etude::linspace(-7, 7, 3000, kFloat).view({50, 60}), dy = cos(x * 3) + 0.5;
    for (const std::string& form : kForms)
      for (const Tensor& in : {x, x.t(), x.slice(1, 0, 60, 2)}) {
        CAPTURE(form);
        const Tensor expected = each(in, [&](double v) { return formula(v, form); });
        const Tensor slopes = each(in, [&](double v) { return slope(v, form); });
        const Tensor weights = dy.slice(1, 0, in.size(1) == 30 ? 30 : 60).reshape(in.sizes());
        const Tensor one = etude::ones({1, 1}).expand(in.sizes());
        CHECK(allclose(gelu(in, form).to(kDouble), expected, 1e-6, 1e-6));
        CHECK(allclose(gradient(in, form, weights).to(kDouble), slopes * weights, 1e-6, 3e-6));
        CHECK(allclose(gradient(in, form, one).to(kDouble), slopes, 1e-6, 3e-6));
      }
  }

  TEST_CASE("of floats is as right as the documentation says") {
    const Tensor x = etude::linspace(-9, 9, 180001, kFloat);
    for (const std::string& form : kForms) {
      CAPTURE(form);
      const Tensor expected = each(x, [&](double v) { return formula(v, form); });
      const Tensor error = (gelu(x, form).to(kDouble) - expected).abs() / expected.abs().clamp_min(1);
      CHECK(error.max().item<double>() < 3e-7);
      const Tensor slopes = each(x, [&](double v) { return slope(v, form); });
      const Tensor wrong = (gradient(x, form, etude::ones_like(x)).to(kDouble) - slopes).abs();
      CHECK(wrong.max().item<double>() < (form == "none" ? 4e-7 : 2e-6));
    }
  }

  TEST_CASE("takes 0-dim and empty tensors, zero, nan and large numbers") {
    for (const std::string& form : kForms) {
      CHECK(gelu(etude::tensor(0.0), form).item<double>() == 0);
      CHECK(gelu(etude::zeros({0, 3}), form).sizes() == IntArrayRef({0, 3}));
      CHECK(gradient(etude::zeros({0, 3}), form, etude::zeros({0, 3})).numel() == 0);
      for (const int64_t n : {1, 1000}) {
        CHECK(gelu(etude::full({n}, std::nan("")), form).isnan().all().item<bool>());
        CHECK(equal(gelu(etude::full({n}, 100.0), form), etude::full({n}, 100.0)));
        CHECK(gelu(etude::full({n}, -100.0), form).abs().max().item<double>() == 0);
        CHECK(equal(gradient(etude::full({n}, 100.0), form, etude::ones({n})), etude::ones({n})));
      }
    }
  }

  TEST_CASE("has the gradient and second gradient of finite differences") {
    const Tensor x = etude::linspace(-2.3, 2.1, 6, kDouble).view({2, 3});
    for (const std::string& form : kForms) {
      const TensorFunction f = [&](const std::vector<Tensor>& in) { return gelu(in[0], form); };
      CHECK(gradcheck(f, {x}));
      CHECK(gradgradcheck(f, {x}));
    }
  }

  TEST_CASE("of float32 has the second gradient of float64") {
    const Tensor x = etude::linspace(-3, 3, 1000, kDouble);
    for (const std::string& form : kForms) {
      const auto second = [&](const Tensor& at) {
        const Tensor leaf = at.detach().requires_grad_();
        const Tensor first = autograd::grad({gelu(leaf, form).sum()}, {leaf}, {}, true, true)[0];
        return autograd::grad({first.sum()}, {leaf})[0];
      };
      CHECK(allclose(second(x.to(kFloat)).to(kDouble), second(x), 1e-5, 2e-6));
    }
  }

  TEST_CASE("refuses integers and other words") {
    CHECK(refusal([] { gelu(etude::arange(3)); }) == "Error: \"GeluKernelImpl\" not implemented for 'Long'");
    CHECK(refusal([] { gelu(etude::zeros({2}), "fast"); }) ==
          "Error: approximate argument must be either none or tanh.");
  }
}
