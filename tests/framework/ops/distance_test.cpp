#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("distances") {
  namespace {

  const Tensor x = etude::linspace(-2, 3, 12, kDouble).view({3, 4});
  const Tensor y = etude::linspace(1.5, -1.1, 12, kDouble).view({3, 4}).pow(2);

  }  // namespace

  TEST_CASE("cosine_similarity is the cosine of the angle between both") {
    const Tensor expected = (x * y).sum(1) / (x.norm(2, 1) * y.norm(2, 1));
    CHECK(allclose(cosine_similarity(x, y), expected, 1e-13));
    CHECK(allclose(cosine_similarity(x.t(), y.t(), 0), expected, 1e-13));
    CHECK(allclose(cosine_similarity(x, y[0], -1)[0], expected[0], 1e-13));
    CHECK(allclose(cosine_similarity(x, x * 3), etude::ones({3}, kDouble), 1e-13));
    CHECK(allclose(cosine_similarity(x, -x), -etude::ones({3}, kDouble), 1e-13));
    CHECK(allclose(cosine_similarity(etude::tensor(2.0), etude::tensor(3.0), 0), etude::tensor(1.0)));
  }

  TEST_CASE("a norm below eps counts as eps, so that zeros have a cosine of zero") {
    CHECK(same(cosine_similarity(etude::zeros({2, 3}), etude::ones({2, 3})), etude::zeros({2})));
    CHECK(allclose(cosine_similarity(etude::tensor({{3.0, 4.0}}), etude::tensor({{3.0, 4.0}}), 1, 10),
                   etude::tensor({0.25})));
    const Tensor zero = etude::zeros({1, 3}).requires_grad_();
    cosine_similarity(zero, etude::ones({1, 3})).sum().backward();
    CHECK(allclose(zero.grad(), etude::full({1, 3}, 1e8 / std::sqrt(3.0)), 1e-5));
  }

  TEST_CASE("cosine_similarity promotes types, and takes empty tensors") {
    CHECK((cosine_similarity(x, y.to(kFloat)).dtype() == kDouble));
    CHECK((cosine_similarity(etude::ones({2, 3}).to(kLong), etude::ones({2, 3})).dtype() == kFloat));
    CHECK(cosine_similarity(etude::ones({0, 3}), etude::ones({0, 3})).sizes() == IntArrayRef({0}));
    CHECK(same(cosine_similarity(etude::ones({3, 0}), etude::ones({3, 0})), etude::zeros({3})));
  }

  TEST_CASE("pairwise_distance is the norm of the difference, to which eps is added") {
    for (const double p : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
      CAPTURE(p);
      CHECK(allclose(pairwise_distance(x, y, p, 0.25), (x - y + 0.25).norm(p, -1), 1e-13));
    }
    CHECK(allclose(pairwise_distance(x, y), (x - y).norm(2, 1), 1e-5));
    CHECK(pairwise_distance(x, y[0], 2, 1e-6, /*keepdim=*/true).sizes() == IntArrayRef({3, 1}));
    CHECK(allclose(pairwise_distance(y[0], x), pairwise_distance(x, y[0]), 1e-5));
    CHECK(allclose(pairwise_distance(etude::tensor(2.0), etude::tensor(3.0)), etude::tensor(1.0)));
    CHECK(same(pairwise_distance(etude::ones({3, 0}), etude::ones({3, 0})), etude::zeros({3})));
  }

  TEST_CASE("have the gradient and second gradient of finite differences") {
    check_gradients({[](const auto& in) { return cosine_similarity(in[0], in[1]); },
                     [](const auto& in) { return cosine_similarity(in[0], in[1][0], 0); },
                     [](const auto& in) { return pairwise_distance(in[0], in[1]); },
                     [](const auto& in) { return pairwise_distance(in[0], in[1][0], 3, 0.1, true); }},
                    {x, y});
  }

  TEST_CASE("refuse what does not fit") {
    const Tensor ones = etude::ones({3, 4});
    CHECK(refusal([&] {
            cosine_similarity(ones, etude::ones({3, 5}));
          }) ==
          "Error: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1");
    CHECK(refusal([&] { cosine_similarity(ones[0], ones[0]); }) ==
          "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    CHECK(refusal([&] { cosine_similarity(ones.to(kLong), ones.to(kLong)); }) ==
          "Error: expected common dtype to be floating point, yet common dtype is Long");
    CHECK(refusal([&] { pairwise_distance(ones, etude::ones({5})); }) ==
          "Error: The size of tensor a (4) must match the size of tensor b (5) at non-singleton dimension 1");
  }
}
