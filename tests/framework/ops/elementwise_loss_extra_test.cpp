// Gradients that LibTorch does not compute, and arguments that only Python accepts.
#include <doctest/doctest.h>

#include <vector>

#include "etude/framework.h"
#include "support/any_function.h"
#include "support/check_gradients.h"
#include "support/refusal.h"

using namespace etude;

TEST_SUITE("losses of elements, beyond LibTorch") {
  TEST_CASE("a target of other sizes has the gradient of finite differences in binary_cross_entropy too") {
    const Tensor x = etude::linspace(-2, 2, 6, kDouble).view({6, 1});
    const Tensor wide = etude::linspace(-2, 2, 6, kDouble).view({2, 3});
    const Tensor goal = etude::linspace(0.1, 0.8, 6, kDouble);
    for (const int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
      check_gradients(
          {[=](const auto& in) { return binary_cross_entropy(sigmoid(in[0]), in[1], {}, reduction); }},
          {x, goal});
      check_gradients(
          {[=](const auto& in) { return binary_cross_entropy(sigmoid(in[0]), in[1], {}, reduction); }},
          {wide, goal.slice(0, 0, 3)});
    }
  }

  TEST_CASE("soft margin takes targets of integers, and smooth l1 keeps a nan") {
    const Tensor x = etude::tensor({-2.0, 0.0}).requires_grad_();
    const Tensor expected = soft_margin_loss(x, etude::ones({2}), Reduction::None);
    for (const ScalarType type : {kByte, kLong, kBool})
      CHECK(same(soft_margin_loss(x, etude::ones({2}, type), Reduction::None).detach(), expected.detach()));
    soft_margin_loss(x, etude::ones({2}, kByte), Reduction::Sum).backward();
    CHECK(allclose(x.grad(), etude::tensor({-1 / (1 + std::exp(-2.0)), -0.5})));
    const Tensor odd = etude::tensor({std::nan(""), 1.0}).requires_grad_();
    smooth_l1_loss(odd, etude::zeros({2}), Reduction::Sum, 0).backward();
    CHECK(odd.grad()[0].isnan().item<bool>());
    CHECK(odd.grad()[1].item<double>() == 1);
  }

  TEST_CASE("a number that names no reduction is refused") {
    const Tensor a = etude::full({2}, 0.5), rows = etude::ones({2, 2}), ids = etude::zeros({2}, kLong);
    for (const int64_t r : {-1, 3, 7}) {
      const std::vector<AnyFunction<void()>> losses{
          [&] { l1_loss(a, a, r); },
          [&] { mse_loss(a, a, r); },
          [&] { huber_loss(a, a, r); },
          [&] { smooth_l1_loss(a, a, r); },
          [&] { soft_margin_loss(a, a, r); },
          [&] { kl_div(a, a, r); },
          [&] { kl_div(a, a, r, true); },
          [&] { binary_cross_entropy(a, a, {}, r); },
          [&] { binary_cross_entropy_with_logits(a, a, {}, {}, r); },
          [&] { hinge_embedding_loss(a, a, 1, r); },
          [&] { margin_ranking_loss(a, a, a, 0, r); },
          [&] { cosine_embedding_loss(rows, rows, a, 0, r); },
          [&] { triplet_margin_loss(rows, rows, rows, 1, 2, 1e-6, false, r); },
          [&] { poisson_nll_loss(a, a, true, false, 1e-8, r); },
          [&] { nll_loss(rows, ids, {}, r); },
          [&] { cross_entropy_loss(rows, ids, {}, r); },
          [&] { cross_entropy_loss(rows, rows, {}, r); },
          [&] { linear_cross_entropy(rows, rows, ids, {}, {}, r); },
      };
      for (size_t i = 0; i < losses.size(); ++i) {
        CAPTURE(i);
        CHECK(refusal(losses[i]) == str("ValueError: ", r, " is not a valid value for reduction"));
      }
    }
  }

  TEST_CASE("a loss of floats of 16 bits is finite where a sum or a square on the way to it is not") {
    const int64_t n = 30000;
    const Tensor ids = etude::zeros({n}, kLong), weight = etude::ones({2}, kHalf);
    const Tensor goal = etude::tensor({1.0, 0.0}).to(kHalf).expand({n, 2});
    const Tensor x = etude::tensor({0.0, 10.0}).to(kHalf).expand({n, 2}).clone().requires_grad_();
    const auto smoothed = [&](const Tensor& w) {
      return cross_entropy_loss(x, ids, w, Reduction::Mean, -100, 0.5);
    };
    const Tensor alike = etude::full({1, 4}, 300, kHalf), row = etude::ones({1, 300}, kHalf);
    const Tensor u = etude::tensor({256.0, 0.0}).to(kHalf), zeros = etude::zeros({2}, kHalf);
    const std::vector<std::pair<Tensor, double>> losses = {
        {cross_entropy_loss(x, goal), 10},
        {cross_entropy_loss(x, goal, weight), 10},
        {smoothed({}), 7.5},
        {smoothed(weight), 7.5},
        {mse_loss(u, zeros), 32768},
        {soft_margin_loss(etude::full({2}, -12, kHalf), etude::ones({2}, kHalf)), 12},
        {cosine_similarity(alike, alike), 1},
        {cosine_embedding_loss(row, row, etude::ones({1})), 0},
    };
    for (size_t i = 0; i < losses.size(); ++i) {
      CAPTURE(i);
      CHECK(losses[i].first.scalar_type() == kHalf);
      CHECK(losses[i].first.item<double>() == losses[i].second);
    }
    cross_entropy_loss(x, goal).backward();
    CHECK(x.grad().scalar_type() == kHalf);
    CHECK(allclose(x.grad()[0].to(kFloat) * n, etude::tensor({-1.0, 1.0}), 1e-2));
    CHECK(refusal([&] { smoothed(etude::ones({2})); }) == "Error: expected scalar type Half but found Float");
    CHECK(cross_entropy_loss(x, goal, etude::ones({2})).scalar_type() == kFloat);
  }
}
