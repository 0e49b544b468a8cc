#include "etude/positioned_embedding.h"

#include <doctest/doctest.h>

#include <cmath>

#include "etude/positional_encoding.h"
#include "support/refusal.h"

using namespace etude;
using namespace etude::nn;

TEST_SUITE("PositionedEmbedding") {
  TEST_CASE("adds the position to the scaled token") {
    PositionedEmbedding embedding(PositionedEmbeddingOptions(7, 6).dropout(0));
    const NoGradGuard no_grad;
    const Tensor ids = etude::tensor({{3, 1, 6}}, kLong), table = sinusoidal_table(5, 6);
    const Tensor rows = embedding->tokens->weight.index_select(0, ids[0]);
    CHECK(allclose(embedding(ids)[0], rows * std::sqrt(6.0) + table.slice(0, 0, 3)));
    CHECK(allclose(embedding(ids, int64_t{2})[0], rows * std::sqrt(6.0) + table.slice(0, 2, 5)));
    PositionedEmbedding plain(
        PositionedEmbeddingOptions(7, 6).dropout(0).scale(false).positions(NoPositions().ptr()));
    plain->tokens->weight.copy_(embedding->tokens->weight);
    CHECK(equal(plain(ids)[0], rows));
  }

  TEST_CASE("starts with tokens of variance 1 / d_model and a padding of zeros") {
    manual_seed(5);
    PositionedEmbedding embedding(PositionedEmbeddingOptions(400, 64).padding_idx(3));
    const Tensor& weight = embedding->tokens->weight;
    CHECK(weight.std().item<double>() == doctest::Approx(1 / 8.0).epsilon(0.02));
    CHECK(weight[3].abs().max().item<double>() == 0);
    CHECK(weight.requires_grad());
  }

  TEST_CASE("drops in train mode alone, and is an element of a Sequential") {
    PositionedEmbedding embedding(PositionedEmbeddingOptions(7, 6).dropout(0.5));
    const NoGradGuard no_grad;
    AnyModule any(embedding);
    const Tensor ids = etude::tensor({{3, 1, 6}}, kLong);
    CHECK_FALSE(equal(any.forward(ids), any.forward(ids)));
    embedding->eval();
    CHECK(equal(any.forward(ids), embedding(ids)));
  }

  TEST_CASE("copies the positions that it is given") {
    LearnedPositions positions(4, 6);
    PositionedEmbedding embedding(PositionedEmbeddingOptions(7, 6).dropout(0).positions(positions.ptr()));
    CHECK(equal(embedding->named_parameters()["positions.weight"], positions->weight));
    const NoGradGuard no_grad;
    positions->weight.zero_();
    CHECK_FALSE(equal(embedding->named_parameters()["positions.weight"], positions->weight));
    CHECK(refusal([&] {
            embedding(zeros({1, 5}, kLong));
          }) == "Error: position 4 is out of range: there are 4 positions");
  }

  TEST_CASE("refuses positions that act on attention, and ids that are no batch") {
    const auto with = [](const std::shared_ptr<Positions>& positions) {
      return refusal([&] { PositionedEmbedding(PositionedEmbeddingOptions(7, 8).positions(positions)); });
    };
    const auto sentence = [](const std::string& kind) {
      return "Error: PositionedEmbedding: expected positions that are added to embeddings, but got "
             "etude::nn::" +
             kind + ", which act on attention";
    };
    CHECK(with(RotaryPositions(4, RotaryPairs::Half).ptr()) == sentence("RotaryPositionsImpl"));
    CHECK(with(RotaryPositions(2, RotaryPairs::Interleaved).ptr()) == sentence("RotaryPositionsImpl"));
    CHECK(with(ALiBiPositions(2).ptr()) == sentence("ALiBiPositionsImpl"));
    CHECK(with(T5Positions(T5PositionsOptions(2)).ptr()) == sentence("T5PositionsImpl"));
    PositionedEmbedding embedding(7, 8);
    CHECK(refusal([&] { embedding(zeros({3}, kLong)); }) ==
          "Error: PositionedEmbedding: expected ids of sizes [batch, sequence], but got [3]");
  }
}
