// Error types and hints that LibTorch's functions lack.
#include "etude/nn/functional.h"

#include <doctest/doctest.h>

#include "etude/ops/ops.h"
#include "support/refusal.h"

using namespace etude;
namespace F = etude::nn::functional;

TEST_SUITE("functional, beyond LibTorch") {
  TEST_CASE("embedding refuses a padding_idx outside the table with its sizes") {
    const Tensor weight = etude::ones({5, 2}), ids = etude::tensor({4, 0});
    CHECK_THROWS_WITH_AS(
        F::embedding(ids, weight, F::EmbeddingFuncOptions().padding_idx(5)),
        "Padding_idx must be within num_embeddings\nembedding: padding_idx 5 of a weight of sizes [5, 2]",
        ValueError);
    CHECK_THROWS_WITH(
        F::embedding(ids, weight, F::EmbeddingFuncOptions().padding_idx(-6)),
        "Padding_idx must be within num_embeddings\nembedding: padding_idx -6 of a weight of sizes [5, 2]");
  }

  TEST_CASE("linear_cross_entropy passes on its options") {
    const Tensor x = sin(etude::arange(12)).view({4, 3}), weight = cos(etude::arange(15)).view({5, 3}),
                 bias = etude::arange(5) * 0.1, target = etude::tensor({4, 0, 2, 1});
    const auto options = F::CrossEntropyFuncOptions()
                             .weight(etude::arange(1, 6) * 0.2)
                             .ignore_index(2)
                             .reduction(kSum)
                             .label_smoothing(0.1);
    CHECK(equal(F::linear_cross_entropy(x, weight, target, bias, options),
                F::cross_entropy(F::linear(x, weight, bias), target, options)));
    CHECK(equal(F::linear_cross_entropy(x, weight, target), F::cross_entropy(F::linear(x, weight), target)));
  }

  TEST_CASE("normalize does not round into an out of integers") {
    CHECK(refusal([] {
            nn::functional::normalize(
                etude::ones({2, 3}), nn::functional::NormalizeFuncOptions().out(etude::zeros({2, 3}, kLong)));
          }) == "Error: result type Float can't be cast to the desired output type Long");
  }
}
