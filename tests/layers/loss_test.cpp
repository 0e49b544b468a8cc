#include "etude/loss.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
namespace F = etude::nn::functional;

TEST_SUITE("Losses") {
  namespace {

  const Tensor x = golden::ramp({3, 4}), y = golden::ramp({12}).flip({0}).view({3, 4}) * 2;
  const Tensor p = sigmoid(x), q = sigmoid(y), w = golden::ramp({4}).abs();
  const Tensor classes = etude::tensor({3, 0, 1});

  }  // namespace

  TEST_CASE("of a difference are their functions with the options kept") {
    CHECK(same(MSELoss()(x, y), mse_loss(x, y)));
    CHECK(same(MSELoss(MSELossOptions(kSum))(x, y), mse_loss(x, y, Reduction::Sum)));
    CHECK(same(L1Loss()(x, y), l1_loss(x, y)));
    CHECK(same(L1Loss(L1LossOptions().reduction(kNone))(x, y), l1_loss(x, y, Reduction::None)));
    CHECK(same(SmoothL1Loss()(x, y), smooth_l1_loss(x, y)));
    CHECK(same(SmoothL1Loss(SmoothL1LossOptions(kNone).beta(0.5))(x, y),
               smooth_l1_loss(x, y, Reduction::None, 0.5)));
    CHECK(same(HuberLoss()(x, y), huber_loss(x, y)));
    CHECK(same(HuberLoss(HuberLossOptions().reduction(kSum).delta(0.5))(x, y),
               huber_loss(x, y, Reduction::Sum, 0.5)));
  }

  TEST_CASE("of classes are their functions with the options kept") {
    CHECK(same(CrossEntropyLoss()(x, classes), F::cross_entropy(x, classes)));
    CHECK(same(CrossEntropyLoss()(x, softmax(y, 1)), F::cross_entropy(x, softmax(y, 1))));
    CHECK(same(
        CrossEntropyLoss(CrossEntropyLossOptions().weight(w).ignore_index(0).label_smoothing(0.2).reduction(
            kNone))(x, classes),
        F::cross_entropy(
            x, classes,
            F::CrossEntropyFuncOptions().weight(w).ignore_index(0).label_smoothing(0.2).reduction(kNone))));
    const Tensor scores = log_softmax(x, 1);
    CHECK(same(NLLLoss()(scores, classes), CrossEntropyLoss()(x, classes)));
    CHECK(same(NLLLoss(NLLLossOptions().weight(w).ignore_index(0).reduction(kSum))(scores, classes),
               nll_loss(scores, classes, w, Reduction::Sum, 0)));
  }

  TEST_CASE("of probabilities are their functions with the options kept") {
    CHECK(same(KLDivLoss()(log(p), q), kl_div(log(p), q)));
    CHECK(same(KLDivLoss(KLDivLossOptions(kBatchMean).log_target(true))(log(p), log(q)),
               kl_div(log(p), log(q), Reduction::Sum, true) / 3));
    CHECK(same(BCELoss()(p, q), binary_cross_entropy(p, q)));
    CHECK(same(BCELoss(BCELossOptions().weight(w).reduction(kSum))(p, q),
               binary_cross_entropy(p, q, w.expand({3, 4}), Reduction::Sum)));
    CHECK(same(BCEWithLogitsLoss()(x, q), binary_cross_entropy_with_logits(x, q)));
    CHECK(
        same(BCEWithLogitsLoss(BCEWithLogitsLossOptions().weight(w).pos_weight(w * 2).reduction(kSum))(x, q),
             binary_cross_entropy_with_logits(x, q, w, w * 2, Reduction::Sum)));
    CHECK(same(PoissonNLLLoss()(x, q), poisson_nll_loss(x, q, true, false, 1e-8, Reduction::Mean)));
    CHECK(same(PoissonNLLLoss(PoissonNLLLossOptions().log_input(false).full(true).eps(0.5).reduction(kNone))(
                   p, q * 4),
               poisson_nll_loss(p, q * 4, false, true, 0.5, Reduction::None)));
  }

  TEST_CASE("have their weights as buffers") {
    const BCEWithLogitsLoss loss(BCEWithLogitsLossOptions().weight(w).pos_weight(w * 2));
    CHECK(loss->named_buffers().keys() == std::vector<std::string>{"weight", "pos_weight"});
    CHECK(same(loss->weight, w));
    CHECK(same(loss->pos_weight, w * 2));
    CHECK(CrossEntropyLoss(CrossEntropyLossOptions().weight(w))->buffers().size() == 1);
    CHECK(NLLLoss()->parameters().empty());
    CHECK_FALSE(NLLLoss()->weight.defined());
  }

  TEST_CASE("a loss goes back to its input") {
    const Tensor scores = x.clone().requires_grad_();
    CrossEntropyLoss()(scores, classes).backward();
    CHECK(allclose(scores.grad(), (softmax(x, 1) - one_hot(classes, 4)) / 3, 1e-5, 1e-7));
  }

  TEST_CASE("refuse what their functions refuse") {
    CHECK(refusal([] { BCELoss()(x * 10, q); }) == "Error: all elements of input should be between 0 and 1");
    CHECK(refusal([] { BCEWithLogitsLoss()(x, q[0]); }) ==
          "Error: Target size ([4]) must be the same as input size ([3, 4])");
    CHECK(refusal([] { HuberLoss(HuberLossOptions().delta(-1))(x, y); }) ==
          "Error: huber_loss does not support non-positive values for delta.");
  }
}
