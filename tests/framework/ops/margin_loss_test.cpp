#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("losses made of other ops") {
  namespace {

  const Tensor x = etude::tensor({{0.5, 1.25, -2.0}, {3.0, -1.5, 0.25}}, kDouble);
  const Tensor y = etude::tensor({{0.25, 2.0, 0.75}, {-1.0, -1.125, 0.5}}, kDouble);
  const Tensor z = etude::tensor({{1.0, -0.5, 0.5}, {2.5, 0.75, -3.0}}, kDouble);
  const Tensor signs = etude::tensor({{1.0, -1.0, -1.0}, {-1.0, 1.0, 1.0}}, kDouble);
  const Tensor sides = etude::tensor({1.0, -1.0}, kDouble);

  // Applies a formula of numbers to each element of up to three tensors.
  template <typename Formula>
  Tensor each(Formula formula, const Tensor& a, const Tensor& b = x, const Tensor& c = x) {
    const Tensor result = a.clone();
    for (int64_t i = 0; i < a.size(0); ++i)
      for (int64_t j = 0; j < a.size(1); ++j)
        result[i][j].fill_(formula(a[i][j].item<double>(), b[i][j].item<double>(), c[i][j].item<double>()));
    return result;
  }

  // Checks that `loss` gives the losses, their mean and their sum, by reduction.
  void check(const AnyFunction<Tensor(int64_t)>& loss, const Tensor& expected) {
    CHECK(allclose(loss(Reduction::None), expected, 1e-12));
    CHECK(allclose(loss(Reduction::Mean), expected.mean(), 1e-12));
    CHECK(allclose(loss(Reduction::Sum), expected.sum(), 1e-12));
  }

  }  // namespace

  TEST_CASE("hinge_embedding_loss is x, or what it lacks of the margin") {
    check([](int64_t r) { return hinge_embedding_loss(x, signs, 1, r); },
          each([](double v, double t, double) { return t == 1 ? v : std::max(0.0, 1 - v); }, x, signs));
    check([](int64_t r) { return hinge_embedding_loss(x, signs, 2.5, r); },
          each([](double v, double t, double) { return t == 1 ? v : std::max(0.0, 2.5 - v); }, x, signs));
    CHECK(same(hinge_embedding_loss(x, signs), hinge_embedding_loss(x, signs, 1, Reduction::Mean)));
  }

  TEST_CASE("margin_ranking_loss is what the better one lacks of the margin above the other") {
    check([](int64_t r) { return margin_ranking_loss(x, y, signs, 0.5, r); },
          each([](double a, double b, double t) { return std::max(0.0, -t * (a - b) + 0.5); }, x, y, signs));
    CHECK(same(margin_ranking_loss(x, y, signs), margin_ranking_loss(x, y, signs, 0, Reduction::Mean)));
    CHECK(margin_ranking_loss(x, y[0], signs[0], 0, Reduction::None).sizes() == IntArrayRef({2, 3}));
  }

  TEST_CASE("cosine_embedding_loss asks for an angle of zero, or for a cosine below the margin") {
    const Tensor cosine = (x * y).sum(1) / (x.norm(2, 1) * y.norm(2, 1));
    for (const double margin : {0.0, -0.5}) {
      CAPTURE(margin);
      check([=](int64_t r) { return cosine_embedding_loss(x, y, sides, margin, r); },
            stack({1 - cosine[0], clamp_min(cosine[1] - margin, 0)}));
    }
    CHECK(allclose(cosine_embedding_loss(x[0], y[0], etude::tensor(1.0, kDouble)), 1 - cosine[0], 1e-12));
    CHECK(std::isnan(
        cosine_embedding_loss(etude::ones({0, 4}), etude::ones({0, 4}), etude::ones({0})).item<double>()));
  }

  TEST_CASE("triplet_margin_loss asks the negative to be farther than the positive, by the margin") {
    const Tensor near = (x - y + 1e-6).norm(2, 1), far = (x - z + 1e-6).norm(2, 1),
                 other = (y - z + 1e-6).norm(2, 1);
    check([](int64_t r) { return triplet_margin_loss(x, y, z, 1, 2, 1e-6, false, r); },
          clamp_min(near - far + 1, 0));
    check([](int64_t r) { return triplet_margin_loss(x, y, z, 3, 2, 1e-6, true, r); },
          clamp_min(near - minimum(far, other) + 3, 0));
    check([](int64_t r) { return triplet_margin_loss(x, y, z, 1, 1, 0.5, false, r); },
          clamp_min((x - y + 0.5).abs().sum(1) - (x - z + 0.5).abs().sum(1) + 1, 0));
    CHECK(same(triplet_margin_loss(x, y, z), triplet_margin_loss(x, y, z, 1, 2, 1e-6, false)));
    CHECK(allclose(triplet_margin_loss(x[0], y[0], z[0]), clamp_min(near - far + 1, 0)[0], 1e-12));
  }

  TEST_CASE("poisson_nll_loss is minus the log-probability of a count, apart from its factorial") {
    const Tensor counts = etude::tensor({{0.0, 1.0, 2.0}, {5.0, 1.0, 3.0}}, kDouble), rates = x.abs();
    check([&](int64_t r) { return poisson_nll_loss(x, counts, true, false, 1e-8, r); },
          each([](double v, double n, double) { return std::exp(v) - n * v; }, x, counts));
    check([&](int64_t r) { return poisson_nll_loss(rates, counts, false, false, 0.5, r); },
          each([](double v, double n, double) { return v - n * std::log(v + 0.5); }, rates, counts));
    const double pi = 3.14159265358979323846;
    check([&](int64_t r) { return poisson_nll_loss(x, counts, true, true, 1e-8, r); },
          each(
              [pi](double v, double n, double) {
                const double stirling = n > 1 ? n * std::log(n) - n + 0.5 * std::log(2 * pi * n) : 0;
                return std::exp(v) - n * v + stirling;
              },
              x, counts));
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    for (const int64_t r : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
      CAPTURE(r);
      check_gradients(
          {[=](const auto& in) { return hinge_embedding_loss(in[0], signs, 1.1, r); },
           [=](const auto& in) { return margin_ranking_loss(in[0], in[1], signs, 0.3, r); },
           [=](const auto& in) { return cosine_embedding_loss(in[0], in[1], sides, -0.9, r); },
           [=](const auto& in) { return triplet_margin_loss(in[0], in[1], in[2], 4, 2, 1e-6, true, r); },
           [=](const auto& in) { return triplet_margin_loss(in[0], in[1], in[2], 4, 3, 1e-6, false, r); },
           [=](const auto& in) { return poisson_nll_loss(in[0], in[1] * 4, true, false, 1e-8, r); },
           [=](const auto& in) { return poisson_nll_loss(in[0].exp(), signs + 2, false, true, 0.1, r); }},
          {x, y, z});
    }
  }

  TEST_CASE("promote integers as the ops do that they are made of") {
    const Tensor i = etude::tensor({-2, 0, 3});
    CHECK((margin_ranking_loss(i, i, i, 0.5).dtype() == kFloat));
    CHECK((poisson_nll_loss(i, i, true, false, 1e-8, Reduction::Sum).dtype() == kFloat));
    CHECK(same(hinge_embedding_loss(i, etude::tensor({1, -1, -1}), 1.5, Reduction::Sum), etude::tensor(-1)));
    CHECK(
        refusal([&] { hinge_embedding_loss(i, i); }) ==
        "Error: mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
        "dtype. Got: Long");
  }

  TEST_CASE("refuse what does not fit") {
    CHECK(refusal([] { cosine_embedding_loss(x, y, signs); }) ==
          "Error: 0D or 1D target tensor expected, multi-target not supported");
    CHECK(refusal([] { cosine_embedding_loss(x[0], y[0], sides); }) ==
          "Error: 1D target tensor expects 2D input tensors, but found inputs with sizes [3] and [3].");
    CHECK(refusal([] { cosine_embedding_loss(x, y, sides[0]); }) ==
          "Error: 0D target tensor expects 1D input tensors, but found inputs with sizes [2, 3] and [2, 3].");
    CHECK(refusal([] { triplet_margin_loss(x, y, z[0]); }) ==
          newer("Error: The anchor, positive, and negative tensors are expected to have the same number of "
                "dimensions, but got: anchor 2D, positive 2D, and negative 1D inputs",
                "Error: All inputs should have same dimension but got 2D, 2D and 1D inputs."));
    CHECK(refusal([] { hinge_embedding_loss(x, etude::ones({2})); }) ==
          "Error: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 1");
  }
}
