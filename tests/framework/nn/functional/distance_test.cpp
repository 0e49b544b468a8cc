#include "etude/nn/functional/distance.h"

#include <doctest/doctest.h>

#include "support/golden_losses.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional distances") {
  namespace {

  const std::map<std::string, TensorFunction> functions = {
      {"cosine_similarity", [](const auto& in) { return F::cosine_similarity(in[0], in[1]); }},
      {"cosine_similarity 0",
       [](const auto& in) {
         return F::cosine_similarity(in[0], in[1], F::CosineSimilarityFuncOptions().dim(0));
       }},
      {"cosine_similarity broadcast",
       [](const auto& in) {
         return F::cosine_similarity(in[0], in[1], F::CosineSimilarityFuncOptions().dim(-1).eps(0.5));
       }},
      {"pairwise_distance", [](const auto& in) { return F::pairwise_distance(in[0], in[1]); }},
      {"pairwise_distance 1 keepdim",
       [](const auto& in) {
         return F::pairwise_distance(in[0], in[1], F::PairwiseDistanceFuncOptions().p(1).keepdim(true));
       }},
      {"pairwise_distance broadcast",
       [](const auto& in) {
         return F::pairwise_distance(in[0], in[1], F::PairwiseDistanceFuncOptions().p(3).eps(0.1));
       }},
      {"normalize", [](const auto& in) { return F::normalize(in[0]); }},
      {"normalize 1 0",
       [](const auto& in) { return F::normalize(in[0], F::NormalizeFuncOptions().p(1).dim(0)); }},
      {"normalize eps",
       [](const auto& in) { return F::normalize(in[0], F::NormalizeFuncOptions().eps(2.5)); }},
  };

  }  // namespace

  TEST_CASE("have PyTorch's values, gradients, second gradients and graphs") {
    check_recorded("distances", functions);
  }

  TEST_CASE("normalize writes into `out`, whatever size it has, and refuses a gradient then") {
    const Tensor x = etude::tensor({{3.0, 4.0}, {0.0, 2.0}}), unit = etude::tensor({{0.6, 0.8}, {0.0, 1.0}});
    Tensor out = etude::empty({0});
    CHECK(allclose(F::normalize(x, F::NormalizeFuncOptions().out(out)), unit));
    CHECK(allclose(out, unit));
    x.requires_grad_();
    CHECK(
        refusal([&] { F::normalize(x, F::NormalizeFuncOptions().out(out)); }) ==
        "Error: div(): functions with out=... arguments don't support automatic differentiation, but one of "
        "the arguments requires grad.");
  }

  TEST_CASE("normalize leaves a vector of zeros as it is") {
    CHECK(same(F::normalize(etude::zeros({2, 3})), etude::zeros({2, 3})));
  }
}
