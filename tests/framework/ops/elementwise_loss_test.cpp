#include <doctest/doctest.h>

#include <cmath>

#include "etude/framework.h"
#include "support/gradcheck.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("losses of elements") {
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

  TEST_CASE("binary_cross_entropy is minus the logarithm of the probability, weighted and limited") {
    const Tensor q = sigmoid(x), w = etude::tensor({0.5, 2.0, 1.5}, kDouble);
    const Tensor expected = -(p * log(q) + (1 - p) * log(1 - q));
    CHECK(allclose(binary_cross_entropy(q, p, {}, Reduction::None), expected, 1e-12));
    CHECK(allclose(binary_cross_entropy(q, p, w, Reduction::None), w * expected, 1e-12));
    CHECK(allclose(binary_cross_entropy(q, p), expected.mean(), 1e-12));
    CHECK(allclose(binary_cross_entropy(q, p, w, Reduction::Sum), (w * expected).sum(), 1e-12));
    const Tensor sure = etude::tensor({0.0, 1.0, 0.0, 1.0}), goal = etude::tensor({0.0, 0.0, 1.0, 1.0});
    CHECK(
        same(binary_cross_entropy(sure, goal, {}, Reduction::None), etude::tensor({0.0, 100.0, 100.0, 0.0})));
    CHECK(std::isnan(binary_cross_entropy(etude::zeros({0}), etude::zeros({0})).item<double>()));
    CHECK(binary_cross_entropy(etude::full({}, 0.5), etude::full({}, 0.25)).sizes() == IntArrayRef());
    CHECK(same(binary_cross_entropy(q.t(), p.t(), {}, Reduction::None),
               binary_cross_entropy(q, p, {}, Reduction::None).t()));
  }

  TEST_CASE("the targets of binary_cross_entropy are probabilities") {
    const Tensor half = etude::full({2}, 0.5);
    for (const double target : {1.5, -0.5, std::nan("")})
      CHECK(refusal([&] {
              binary_cross_entropy(half, etude::tensor({0.5, target}).to(kFloat));
            }) == "Error: all elements of target should be between 0 and 1");
    CHECK(refusal([&] { binary_cross_entropy(half * 3, half * 4); }) ==
          "Error: all elements of input should be between 0 and 1");
  }

  TEST_CASE("dims of one element do not count where binary_cross_entropy compares sizes") {
    const Tensor q = sigmoid(x).view({6, 1}).requires_grad_(), flat = p.view({6});
    const Tensor loss = binary_cross_entropy(q, flat, {}, Reduction::None);
    CHECK(loss.sizes() == IntArrayRef({6, 1}));
    CHECK(same(loss.detach().view({2, 3}), binary_cross_entropy(sigmoid(x), p, {}, Reduction::None)));
    loss.sum().backward();
    const Tensor a = sigmoid(x).requires_grad_();
    binary_cross_entropy(a, p, {}, Reduction::Sum).backward();
    CHECK(same(q.grad().view({2, 3}), a.grad()));
    CHECK(refusal([&] { binary_cross_entropy(q, flat.slice(0, 0, 5)); }) ==
          "Error: The size of tensor a (6) must match the size of tensor b (5) at non-singleton dimension 0");
  }

  TEST_CASE("the gradient of binary_cross_entropy is PyTorch's where the logarithm is limited") {
    const Tensor sure = etude::tensor({0.0, 1.0, 1e-13}, kDouble).requires_grad_();
    binary_cross_entropy(sure, etude::tensor({0.0, 0.0, 1.0}, kDouble), {}, Reduction::Sum).backward();
    CHECK(allclose(sure.grad(), etude::tensor({0.0, 1e12, -1e12}, kDouble)));
  }

  TEST_CASE("soft_margin_loss is the logarithm of one more than the exponential") {
    const Tensor signs = etude::tensor({{1.0, -1.0, 1.0}, {-1.0, -1.0, 1.0}}, kDouble);
    const Tensor expected = log(1 + exp(-signs * x));
    CHECK(allclose(soft_margin_loss(x, signs, Reduction::None), expected, 1e-12));
    CHECK(allclose(soft_margin_loss(x, signs), expected.mean(), 1e-12));
    CHECK(allclose(soft_margin_loss(x, signs, Reduction::Sum), expected.sum(), 1e-12));
    CHECK(same(soft_margin_loss(etude::tensor({-200.0, 200.0, -80.0}), etude::ones({3}), Reduction::None),
               etude::tensor({INFINITY, 0.0f, 80.0f})));
    CHECK((soft_margin_loss(x.to(kFloat), signs).dtype() == kFloat));
    CHECK(std::isnan(soft_margin_loss(etude::zeros({0}), etude::zeros({0})).item<double>()));
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
          [=](const auto& in) { return binary_cross_entropy(sigmoid(in[0]), in[1], {}, reduction); },
          [=](const auto& in) { return binary_cross_entropy(in[1], sigmoid(in[0]), w, reduction); },
          [=](const auto& in) { return soft_margin_loss(in[0] + in[1], y.sign(), reduction); },
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
    CHECK(refusal([] {
            binary_cross_entropy(etude::tensor({0.5, 1.5}), etude::ones({2}));
          }) == "Error: all elements of input should be between 0 and 1");
    CHECK(refusal([] { binary_cross_entropy(etude::tensor({std::nan("")}), etude::ones({1})); }) ==
          "Error: all elements of input should be between 0 and 1");
    CHECK(refusal([&] { binary_cross_entropy(z, z.to(kDouble)); }) ==
          "Error: Found dtype Double but expected Float");
    CHECK(refusal([&] { binary_cross_entropy(z, etude::zeros({4})); }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
    CHECK(refusal([] { binary_cross_entropy(etude::arange(2), etude::arange(2)); }) ==
          "Error: \"binary_cross_entropy\" not implemented for 'Long'");
    CHECK(
        refusal([&] { binary_cross_entropy(z, z, etude::zeros({3}, requires_grad())); }) ==
        "Error: The function 'binary_cross_entropy' is not differentiable with respect to argument 'weight'. "
        "This input cannot have requires_grad True.");
    CHECK(refusal([&] {
            soft_margin_loss(z, etude::zeros({2, 3}, requires_grad()));
          }) ==
          "Error: The function 'soft_margin_loss' is not differentiable with respect to argument 'target'. "
          "This input cannot have requires_grad True.");
    CHECK(refusal([] {
            soft_margin_loss(etude::zeros({3, 1}), etude::zeros({2}));
          }) == "Error: output with shape [3, 1] doesn't match the broadcast shape [3, 2]");
    CHECK(refusal([] { soft_margin_loss(etude::arange(2), etude::arange(2)); }) ==
          "Error: result type Float can't be cast to the desired output type Long");
  }
}
