#include "etude/margin_loss.h"

#include <doctest/doctest.h>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("Losses with margins") {
  namespace {

  const Tensor x = golden::ramp({3, 4}), y = golden::ramp({12}).flip({0}).view({3, 4}) * 2,
               z = golden::ramp({4, 3}).t();
  const Tensor signs = golden::ramp({3, 4}).t().contiguous().view({3, 4}).sign();
  const Tensor sides = etude::tensor({1.0, -1.0, -1.0});

  }  // namespace

  TEST_CASE("are their functions with the options kept, and PyTorch's defaults") {
    CHECK(same(SoftMarginLoss()(x, signs), soft_margin_loss(x, signs)));
    CHECK(same(SoftMarginLoss(SoftMarginLossOptions(kSum))(x, signs),
               soft_margin_loss(x, signs, Reduction::Sum)));
    CHECK(same(HingeEmbeddingLoss()(x, signs), hinge_embedding_loss(x, signs, 1)));
    CHECK(same(HingeEmbeddingLoss(HingeEmbeddingLossOptions().margin(2).reduction(kNone))(x, signs),
               hinge_embedding_loss(x, signs, 2, Reduction::None)));
    CHECK(same(MarginRankingLoss()(x, y, signs), margin_ranking_loss(x, y, signs, 0)));
    CHECK(same(MarginRankingLoss(MarginRankingLossOptions().margin(2).reduction(kSum))(x, y, signs),
               margin_ranking_loss(x, y, signs, 2, Reduction::Sum)));
    CHECK(same(CosineEmbeddingLoss()(x, y, sides), cosine_embedding_loss(x, y, sides, 0)));
    CHECK(same(CosineEmbeddingLoss(CosineEmbeddingLossOptions().margin(-0.5).reduction(kNone))(x, y, sides),
               cosine_embedding_loss(x, y, sides, -0.5, Reduction::None)));
    CHECK(same(TripletMarginLoss()(x, y, z), triplet_margin_loss(x, y, z, 1, 2, 1e-6, false)));
    CHECK(same(TripletMarginLoss(
                   TripletMarginLossOptions().margin(2).p(3).eps(1e-3).swap(true).reduction(kNone))(x, y, z),
               triplet_margin_loss(x, y, z, 2, 3, 1e-3, true, Reduction::None)));
  }

  TEST_CASE("have no state and can be cloned") {
    TripletMarginLoss loss(TripletMarginLossOptions().swap(true));
    CHECK(loss->parameters().empty());
    CHECK(loss->buffers().empty());
    CHECK(std::dynamic_pointer_cast<TripletMarginLossImpl>(loss->clone())->options.swap());
  }

  TEST_CASE("a loss goes back to all of its inputs") {
    const Tensor a = x.clone().requires_grad_(), b = y.clone().requires_grad_(),
                 c = z.clone().requires_grad_();
    TripletMarginLoss(TripletMarginLossOptions().margin(10))(a, b, c).backward();
    for (const Tensor& leaf : {a, b, c}) CHECK(leaf.grad().abs().sum().item<double>() > 0);
  }
}
