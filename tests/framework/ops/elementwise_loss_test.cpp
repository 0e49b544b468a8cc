#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

namespace {

const Tensor x = etude::tensor({{0.5, 1.25, -2.0}, {3.0, -1.5, 0.25}}, kDouble);
const Tensor y = etude::tensor({{0.25, 2.0, 0.75}, {-1.0, -1.125, 0.5}}, kDouble);
const Tensor p = etude::tensor({{0.0, 1.0, 0.25}, {0.5, 0.75, 1.0}}, kDouble);  // probabilities

// -log of the probability, by the definition.
Tensor cross_entropy_of(const Tensor& logits, const Tensor& goal, const Tensor& pos_weight) {
  const Tensor s = sigmoid(logits);
  return -(pos_weight * goal * log(s) + (1 - goal) * log(1 - s));
}

}  // namespace

TEST_SUITE("losses of elements") {
  TEST_CASE("l1, smooth l1 and huber losses follow their formulas, and their reductions") {
    const Tensor d = (x - y).abs();
    CHECK(allclose(l1_loss(x, y, Reduction::None), d));
    CHECK(allclose(smooth_l1_loss(x, y, Reduction::None, 0.5), where(d.lt(0.5), d * d, d - 0.25)));
    CHECK(allclose(huber_loss(x, y, Reduction::None, 0.5), where(d.le(0.5), d * d / 2, (d - 0.25) * 0.5)));
    CHECK(same(smooth_l1_loss(x, y, Reduction::None, 0), d));
    for (const auto& loss : {smooth_l1_loss, huber_loss}) {
      CHECK(allclose(loss(x, y, Reduction::Sum, 1), loss(x, y, Reduction::None, 1).sum()));
      CHECK(allclose(loss(x, y, Reduction::Mean, 1), loss(x, y, Reduction::None, 1).mean()));
      CHECK(loss(x, y[0], Reduction::None, 1).sizes() == IntArrayRef({2, 3}));
      CHECK(std::isnan(loss(etude::zeros({0}), etude::zeros({0}), Reduction::Mean, 1).item<double>()));
    }
    CHECK((smooth_l1_loss(x.to(kFloat), y).dtype() == kDouble));
    CHECK((huber_loss(x.to(kFloat), y).dtype() == kFloat));
    CHECK(same(l1_loss(etude::arange(2), etude::arange(2) + 3, Reduction::Sum), etude::tensor(6)));
  }

  TEST_CASE("binary_cross_entropy_with_logits is that of the sigmoid, weighted") {
    const Tensor ones_weight = etude::tensor({1.0, 2.0, 0.5}, kDouble),
                 w = etude::tensor({{2.0}, {0.5}}, kDouble), one = etude::ones({}, kDouble);
    auto loss = [&](const Tensor& weight, const Tensor& pos_weight) {
      return binary_cross_entropy_with_logits(x, p, weight, pos_weight, Reduction::None);
    };
    CHECK(allclose(loss({}, {}), cross_entropy_of(x, p, one), 1e-12));
    CHECK(allclose(loss(w, {}), w * cross_entropy_of(x, p, one), 1e-12));
    CHECK(allclose(loss(w, ones_weight), w * cross_entropy_of(x, p, ones_weight), 1e-12));
    CHECK(allclose(binary_cross_entropy_with_logits(x, p), loss({}, {}).mean(), 1e-12));
    CHECK(
        allclose(binary_cross_entropy_with_logits(x, p, {}, {}, Reduction::Sum), loss({}, {}).sum(), 1e-12));
    const Tensor rare =
        binary_cross_entropy_with_logits(etude::tensor(-25.0, kDouble), etude::ones({}, kDouble));
    CHECK(allclose(rare - 25, exp(etude::tensor(-25.0, kDouble)), 1e-3, 0));
    CHECK(same(binary_cross_entropy_with_logits(etude::tensor({1000.0, -1000.0, 1000.0}),
                                                etude::tensor({1.0, 0.0, 0.0}), {}, {}, Reduction::None),
               etude::tensor({0.0, 0.0, 1000.0})));
  }

  TEST_CASE("kl_div is the distance of distributions, where nothing counts nothing") {
    const Tensor q = log_softmax(x, 1), goal = softmax(y, 1);
    CHECK(allclose(kl_div(q, goal, Reduction::None), goal * (log(goal) - q), 1e-12));
    CHECK(allclose(kl_div(q, log(goal), Reduction::Sum, /*log_target=*/true), kl_div(q, goal, Reduction::Sum),
                   1e-12));
    CHECK(same(kl_div(q, etude::zeros({2, 3}, kDouble), Reduction::None), etude::zeros({2, 3}, kDouble)));
  }

  TEST_CASE("have the gradient and second gradient of finite differences, for input and target") {
    const Tensor goal = sigmoid(y), w = etude::tensor({0.5, 2.0, 1.5}, kDouble);
    for (int64_t reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
      const std::vector<TensorFunction> functions = {
          [=](const auto& in) { return l1_loss(in[0], in[1], reduction).pow(2); },
          [=](const auto& in) { return smooth_l1_loss(in[0], in[1], reduction, 0.9); },
          [=](const auto& in) { return huber_loss(in[0], in[1], reduction, 0.9); },
          [=](const auto& in) { return binary_cross_entropy_with_logits(in[0], in[1], {}, {}, reduction); },
          [=](const auto& in) { return binary_cross_entropy_with_logits(in[0], in[1], w, w * 2, reduction); },
          [=](const auto& in) { return kl_div(in[0], in[1], reduction); },
          [=](const auto& in) { return kl_div(in[0], in[1], reduction, true); }};
      for (const TensorFunction& f : functions) {
        CHECK(gradcheck(f, {x, goal}));
        CHECK(gradgradcheck(f, {x, goal}));
      }
    }
  }

  TEST_CASE("a smooth l1 loss without a smooth part has the gradient of PyTorch at zero") {
    const Tensor leaf = etude::tensor({-2.0, 0.0, 3.0}).requires_grad_();
    smooth_l1_loss(leaf, etude::zeros({3}), Reduction::Sum, 0).backward();
    CHECK(same(leaf.grad(), etude::tensor({-1.0, -1.0, 1.0})));
    const Tensor loss = smooth_l1_loss(leaf, etude::zeros({3}), Reduction::Sum, 0),
                 slope = autograd::grad({loss}, {leaf}, {}, nullopt, /*create_graph=*/true)[0];
    CHECK(slope.requires_grad());
    CHECK(same(autograd::grad({slope.sum()}, {leaf})[0], etude::zeros({3})));
  }

  TEST_CASE("nn::functional has them with their options") {
    CHECK(same(F::l1_loss(x, y), l1_loss(x, y)));
    CHECK(same(F::l1_loss(x, y, kNone), l1_loss(x, y, Reduction::None)));
    CHECK(same(F::smooth_l1_loss(x, y[0], kSum, 0.5), smooth_l1_loss(x, y[0], Reduction::Sum, 0.5)));
    CHECK(same(F::huber_loss(x, y, F::HuberLossFuncOptions().delta(0.5)),
               huber_loss(x, y, Reduction::Mean, 0.5)));
    CHECK(same(
        F::binary_cross_entropy_with_logits(
            x, p, F::BinaryCrossEntropyWithLogitsFuncOptions().weight(y).pos_weight(y[0]).reduction(kSum)),
        binary_cross_entropy_with_logits(x, p, y, y[0], Reduction::Sum)));
    CHECK(same(F::kl_div(x, p), kl_div(x, p)));
    CHECK(same(F::kl_div(x, y, F::KLDivFuncOptions(kBatchMean).log_target(true)),
               kl_div(x, y, Reduction::Sum, true) / 2));
    CHECK(same(F::kl_div(x, p, F::KLDivFuncOptions().reduction(kSum)), kl_div(x, p, Reduction::Sum)));
    CHECK(refusal([] {
            F::binary_cross_entropy_with_logits(etude::zeros({2, 3}), etude::zeros({3}));
          }) == "Error: Target size ([3]) must be the same as input size ([2, 3])");
  }

  TEST_CASE("refuse what does not fit") {
    const Tensor z = etude::zeros({2, 3});
    CHECK(refusal([&] { l1_loss(z, etude::zeros({4})); }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
    CHECK(refusal([&] { smooth_l1_loss(z, z, Reduction::Mean, -1); }) ==
          "Error: smooth_l1_loss does not support negative values for beta.");
    CHECK(refusal([&] { huber_loss(z, z, Reduction::Mean, 0); }) ==
          "Error: huber_loss does not support non-positive values for delta.");
    CHECK(refusal([] { smooth_l1_loss(etude::arange(2), etude::arange(2)); }) ==
          "Error: \"smooth_l1_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { huber_loss(etude::arange(2), etude::arange(2)); }) ==
          "Error: \"huber_cpu\" not implemented for 'Long'");
    CHECK(refusal([] { kl_div(etude::zeros({2}), etude::arange(2)); }) ==
          "Error: kl_div: Integral inputs not supported.");
    CHECK(refusal([] { binary_cross_entropy_with_logits(etude::zeros({2}), etude::arange(2)); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
    CHECK(refusal([&] { binary_cross_entropy_with_logits(z, etude::zeros({3})); }) ==
          "Error: output with shape [3] doesn't match the broadcast shape [2, 3]");
    CHECK(refusal([&] { binary_cross_entropy_with_logits(z, z, etude::zeros({3}, requires_grad())); }) ==
          "Error: The function 'binary_cross_entropy_with_logits' is not differentiable with respect to "
          "argument "
          "'weight'. This input cannot have requires_grad True.");
    CHECK(refusal([&] { binary_cross_entropy_with_logits(z, z, {}, etude::zeros({3}, requires_grad())); }) ==
          "Error: The function 'binary_cross_entropy_with_logits' is not differentiable with respect to "
          "argument "
          "'pos_weight'. This input cannot have requires_grad True.");
  }
}
