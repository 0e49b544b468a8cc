#include "etude/nn/functional/loss.h"

#include <doctest/doctest.h>

#include "support/golden_losses.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional losses") {
  namespace {

  const std::map<std::string, TensorFunction> functions = {
      {"binary_cross_entropy", [](const auto& in) { return F::binary_cross_entropy(in[0], in[1]); }},
      {"binary_cross_entropy none",
       [](const auto& in) {
         return F::binary_cross_entropy(in[0], in[1], F::BinaryCrossEntropyFuncOptions().reduction(kNone));
       }},
      {"binary_cross_entropy weight sum",
       [](const auto& in) {
         return F::binary_cross_entropy(in[0], in[1],
                                        F::BinaryCrossEntropyFuncOptions().weight(in[2]).reduction(kSum));
       }},
      {"soft_margin_loss", [](const auto& in) { return F::soft_margin_loss(in[0], in[1]); }},
      {"soft_margin_loss none", [](const auto& in) { return F::soft_margin_loss(in[0], in[1], kNone); }},
      {"soft_margin_loss sum",
       [](const auto& in) {
         return F::soft_margin_loss(in[0], in[1], F::SoftMarginLossFuncOptions().reduction(kSum));
       }},
      {"hinge_embedding_loss", [](const auto& in) { return F::hinge_embedding_loss(in[0], in[1]); }},
      {"hinge_embedding_loss 2 none",
       [](const auto& in) {
         return F::hinge_embedding_loss(in[0], in[1],
                                        F::HingeEmbeddingLossFuncOptions().margin(2).reduction(kNone));
       }},
      {"margin_ranking_loss", [](const auto& in) { return F::margin_ranking_loss(in[0], in[1], in[2]); }},
      {"margin_ranking_loss 0.5 sum",
       [](const auto& in) {
         return F::margin_ranking_loss(in[0], in[1], in[2],
                                       F::MarginRankingLossFuncOptions().margin(0.5).reduction(kSum));
       }},
      {"cosine_embedding_loss", [](const auto& in) { return F::cosine_embedding_loss(in[0], in[1], in[2]); }},
      {"cosine_embedding_loss 0.2 none",
       [](const auto& in) {
         return F::cosine_embedding_loss(in[0], in[1], in[2],
                                         F::CosineEmbeddingLossFuncOptions().margin(0.2).reduction(kNone));
       }},
      {"cosine_embedding_loss vectors",
       [](const auto& in) { return F::cosine_embedding_loss(in[0], in[1], in[2]); }},
      {"triplet_margin_loss", [](const auto& in) { return F::triplet_margin_loss(in[0], in[1], in[2]); }},
      {"triplet_margin_loss all",
       [](const auto& in) {
         return F::triplet_margin_loss(
             in[0], in[1], in[2],
             F::TripletMarginLossFuncOptions().margin(2).p(3).eps(1e-3).swap(true).reduction(kNone));
       }},
      {"triplet_margin_loss vectors",
       [](const auto& in) {
         return F::triplet_margin_loss(in[0], in[1], in[2], F::TripletMarginLossFuncOptions().p(1));
       }},
      {"poisson_nll_loss", [](const auto& in) { return F::poisson_nll_loss(in[0], in[1]); }},
      {"poisson_nll_loss full",
       [](const auto& in) {
         return F::poisson_nll_loss(in[0], in[1], F::PoissonNLLLossFuncOptions().full(true).reduction(kNone));
       }},
      {"poisson_nll_loss rate",
       [](const auto& in) {
         return F::poisson_nll_loss(
             in[0], in[1], F::PoissonNLLLossFuncOptions().log_input(false).eps(1e-3).reduction(kSum));
       }},
      {"l1_loss", [](const auto& in) { return F::l1_loss(in[0], in[1]); }},
      {"smooth_l1_loss 0.5 sum", [](const auto& in) { return F::smooth_l1_loss(in[0], in[1], kSum, 0.5); }},
      {"huber_loss 0.5 none",
       [](const auto& in) { return F::huber_loss(in[0], in[1], F::HuberLossFuncOptions(kNone).delta(0.5)); }},
      {"binary_cross_entropy_with_logits",
       [](const auto& in) {
         return F::binary_cross_entropy_with_logits(
             in[0], in[1], F::BinaryCrossEntropyWithLogitsFuncOptions().weight(in[2]).pos_weight(in[3]));
       }},
  };

  }  // namespace

  TEST_CASE("have PyTorch's values, gradients, second gradients and graphs") {
    check_recorded("losses", functions);
  }

  TEST_CASE("options know the type of their reduction") {
    const F::L1LossFuncOptions::reduction_t sum = kSum;
    CHECK(
        F::l1_loss(etude::ones({3}), etude::zeros({3}), F::L1LossFuncOptions().reduction(sum)).item<int>() ==
        3);
    const F::KLDivFuncOptions::reduction_t batch_mean = kBatchMean;
    CHECK(enumtype::get_enum_name(batch_mean) == "kBatchMean");
    CHECK(enumtype::get_enum_name(F::TripletMarginLossFuncOptions().reduction()) == "kMean");
  }

  TEST_CASE("refuse sizes that do not fit") {
    const Tensor x = etude::full({2, 3}, 0.5);
    CHECK(
        refusal([&] { F::binary_cross_entropy(x, x[0]); }) ==
        "Error: Using a target size ([3]) that is different to the input size ([2, 3]) is deprecated. Please "
        "ensure they have the same size.");
    CHECK(refusal([&] {
            F::binary_cross_entropy(x, x, F::BinaryCrossEntropyFuncOptions().weight(etude::ones({2})));
          }) ==
          "Error: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 1");
    CHECK(refusal([&] { F::margin_ranking_loss(x, x, x[0]); }) ==
          "Error: margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
          "[2, 3], input2: [2, 3], target: [3]");
  }
}
