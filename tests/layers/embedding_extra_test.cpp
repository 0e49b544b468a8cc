// The initial values that Python draws for a seed, the print of Embedding, sparse gradients, the types of its errors and
// their hints, and that from_pretrained and clone do not change their argument.
#include "etude/embedding.h"

#include <doctest/doctest.h>

#include "layers/embedding_variants.h"
#include "layers/golden.h"

using namespace etude;
using nn::Embedding;
using nn::EmbeddingFromPretrainedOptions;
using nn::EmbeddingOptions;

TEST_SUITE("Embedding, beyond LibTorch") {
  TEST_CASE("has PyTorch's initial values and text, with every option") {
    const auto& rows = golden::layers().at("embedding");
    CHECK(rows.size() == golden::embedding_variants().size());
    for (const auto& row : rows) {
      const auto name = row.at("name").get<std::string>();
      CAPTURE(name);
      manual_seed(5);
      Embedding table(golden::embedding_variants().at(name));
      CHECK(golden::same(table->weight, row.at("before")));
      CHECK(golden::text(table) == row.at("text").get<std::string>());
    }
  }

  TEST_CASE("padding_idx has to name a row") {
    CHECK_THROWS_WITH_AS(
        Embedding(EmbeddingOptions(5, 2).padding_idx(5)),
        "Padding_idx must be within num_embeddings\nEmbedding: padding_idx 5, num_embeddings 5", ValueError);
    CHECK_THROWS_WITH(
        Embedding(EmbeddingOptions(5, 2).padding_idx(-6)),
        "Padding_idx must be within num_embeddings\nEmbedding: padding_idx -6, num_embeddings 5");
  }

  TEST_CASE("an id outside the table is named with its place and the table's size") {
    try {
      Embedding(10, 4)(etude::tensor({{1, 2}, {3, 12}}));
      FAIL("no error");
    } catch (const IndexError& error) {
      const std::string message = error.what();
      CAPTURE(message);
      CHECK(message.substr(0, message.find('\n')) == "index out of range in self");
      for (const char* part : {"12", "[1, 1]", "10"}) CHECK(message.find(part) != std::string::npos);
    }
  }

  TEST_CASE("sparse gradients are refused") {
    CHECK_THROWS_WITH_AS(Embedding(EmbeddingOptions(5, 2).sparse(true)),
                         "Embedding: sparse gradients are not supported\nhint: leave sparse at false; the "
                         "gradient is a dense tensor",
                         NotImplementedError);
  }

  TEST_CASE("from_pretrained checks what it is given") {
    CHECK_THROWS_WITH_AS(Embedding::from_pretrained(etude::ones({3})),
                         "Embeddings parameter is expected to be 2-dimensional\nEmbedding::from_pretrained: "
                         "received sizes [3]",
                         ValueError);
    CHECK_THROWS_WITH_AS(Embedding(EmbeddingOptions(5, 2)._weight(etude::ones({3, 3}))),
                         "Shape of _weight does not match num_embeddings and embedding_dim\nEmbedding: "
                         "_weight has sizes [3, 3], "
                         "num_embeddings 5, embedding_dim 2",
                         ValueError);
  }

  TEST_CASE("a clone of a pretrained table is frozen too and has memory of its own") {
    Embedding table = Embedding::from_pretrained(etude::ones({2, 3}));
    Embedding copy = std::dynamic_pointer_cast<nn::EmbeddingImpl>(table->clone());
    CHECK_FALSE(copy->weight.requires_grad());
    CHECK_FALSE(table->weight.requires_grad());
    CHECK_FALSE(copy->weight.is_alias_of(table->weight));
    CHECK(copy->weight.equal(table->weight));
  }

  TEST_CASE("from_pretrained leaves the given rows without a gradient") {
    const Tensor rows = etude::ones({2, 3});
    Embedding table = Embedding::from_pretrained(rows);
    CHECK(golden::text(table) == "Embedding(2, 3)");
    Embedding trained = Embedding::from_pretrained(
        rows, EmbeddingFromPretrainedOptions().freeze(false).padding_idx(-1).max_norm(2.5));
    CHECK(trained->weight.requires_grad());
    CHECK_FALSE(rows.requires_grad());
    CHECK(golden::text(trained) == "Embedding(2, 3, padding_idx=1, max_norm=2.5)");
  }
}
