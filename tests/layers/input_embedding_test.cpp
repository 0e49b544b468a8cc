#include "etude/input_embedding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "layers/golden.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;
using Strings = std::vector<std::string>;

TEST_SUITE("InputEmbedding") {
  TEST_CASE("is the token's vector plus the position's, for both layouts") {
    const Tensor ids = etude::tensor({{3, 1, 3}, {0, 2, 2}}), table = sinusoidal_table(8, 5);
    for (const bool scale : {false, true}) {
      InputEmbedding batch_first(InputEmbeddingOptions(4, 5, kBatchFirst).max_len(8).scale(scale));
      InputEmbedding sequence_first(InputEmbeddingOptions(4, 5, kSequenceFirst).max_len(8).scale(scale));
      {
        NoGradGuard no_grad;
        sequence_first->token_embedding->embedding->weight.copy_(
            batch_first->token_embedding->embedding->weight);
      }
      const Tensor y = batch_first(ids), weight = batch_first->token_embedding->embedding->weight;
      for (int64_t b = 0; b < 2; ++b)
        for (int64_t t = 0; t < 3; ++t) {
          const Tensor token = weight[ids[b][t].item<int64_t>()] * (scale ? std::sqrt(5.0) : 1.0);
          CHECK(y[b][t].allclose(token + table[t]));
        }
      CHECK(sequence_first(ids.t()).transpose(0, 1).equal(y));
    }
  }

  TEST_CASE("has no Dropout unless it is asked for") {
    InputEmbedding module(4, 6, kBatchFirst);
    CHECK(module->named_children().keys() == Strings{"token_embedding", "pos_encoding"});
    CHECK(module->dropout.is_empty());
    CHECK(module->pos_encoding->pe.sizes() == IntArrayRef({1, 5000, 6}));
  }

  TEST_CASE("equal tokens differ by their positions") {
    InputEmbedding module(4, 6, kBatchFirst);
    const Tensor y = module(etude::tensor({{2, 2}}));
    CHECK_FALSE(y[0][0].allclose(y[0][1]));
  }

  TEST_CASE("gradients reach its parameter") {
    InputEmbedding module(InputEmbeddingOptions(4, 6, kBatchFirst).dropout(0.1));
    module(etude::tensor({{0, 1, 2, 3}})).sum().backward();
    const Tensor grad = module->token_embedding->embedding->weight.grad();
    REQUIRE(grad.defined());
    CHECK(grad.abs().sum(1).gt(0).all().item<bool>());
  }

  TEST_CASE("ids have two dims") {
    CHECK(
        refusal_lines([&] {
          InputEmbedding(4, 6, kBatchFirst)(etude::tensor({1, 2, 3}));
        })
            .rfind("InputEmbedding: expected ids of 2 dims [batch, sequence], but got 1\nreceived sizes [3]\n"
                   "hint: unsqueeze(0) makes a batch of a single sequence",
                   0) == 0);
    CHECK(refusal_lines([&] {
            InputEmbedding(4, 6, kSequenceFirst)(etude::tensor(1));
          }).find("expected ids of 2 dims [sequence, batch], but got 0") != std::string::npos);
  }

  TEST_CASE("wrong ids and sequences that are too long are named") {
    InputEmbedding module(InputEmbeddingOptions(4, 6, kBatchFirst).max_len(3));
    CHECK(refusal([&] { module(etude::tensor({{1, 4}})); }) == "IndexError: index out of range in self");
    CHECK(refusal_lines([&] {
            module(etude::zeros({1, 4}, kLong));
          }).find("has 4 positions, but max_len is 3") != std::string::npos);
  }

  TEST_CASE("the layout cannot be left out") {
    CHECK_FALSE(std::is_constructible_v<InputEmbeddingOptions, int64_t, int64_t>);
    CHECK_FALSE(std::is_constructible_v<InputEmbeddingImpl, int64_t, int64_t>);
  }

  TEST_CASE("a clone is trained alone") {
    InputEmbedding module(InputEmbeddingOptions(4, 6, kBatchFirst).dropout(0.1));
    module->eval();
    InputEmbedding copy = std::dynamic_pointer_cast<InputEmbeddingImpl>(module->clone());
    const Tensor ids = etude::tensor({{0, 3}});
    CHECK(copy(ids).equal(module(ids)));
    nn::init::zeros_(copy->token_embedding->embedding->weight);
    CHECK_FALSE(copy(ids).equal(module(ids)));
  }
}
